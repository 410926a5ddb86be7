package httpapi

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/vectors"
	"github.com/hailmark/hailmark/problem"
)

func TestSizeVectors(t *testing.T) {
	type option struct {
		Name  string `json:"name"`
		Value string `json:"value"`
	}
	file, err := vectors.Load[option, string]("qr_options.json")
	require.NoError(t, err)
	sizes := 0
	for _, v := range file.Vectors {
		if v.Input.Name != "size" {
			continue // package qrcode reads the others
		}
		sizes++
		size, err := parseSize(v.Input.Value)
		if v.Output == nil {
			require.Equal(t, v.Codes, problem.All(err).Codes(), v.ID)
			continue
		}
		require.NoError(t, err, v.ID)
		require.Equal(t, *v.Output, strconv.Itoa(size), v.ID)
	}
	require.Positive(t, sizes)
}
