package main

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"maps"
	"os"
	"slices"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/harness/bench/webhook/payloads"
	"github.com/hailmark/hailmark/internal/testenv"
)

func TestCompareWithTheLastCommit(t *testing.T) {
	testenv.Slow(t)
	testenv.Needs(t, "git", "Debian package git")
	rows, err := compare("HEAD", time.Millisecond, 2)
	require.NoError(t, err)
	require.Len(t, rows, 2)
	for _, r := range rows {
		require.Len(t, r, 2*len(payloads.All))
		for i, row := range r {
			require.Equal(t, []string{"Normalize", "Read"}[i/len(payloads.All)], row.Function)
			require.Equal(t, payloads.All[i%len(payloads.All)].Name, row.Payload)
			require.Len(t, row.Results, 2)
			for _, result := range row.Results {
				require.Positive(t, result.Time)
				require.Positive(t, result.Ratio)
				require.Positive(t, result.Allocs)
			}
		}
	}
}

func TestCompareWithAnUnknownCommit(t *testing.T) {
	testenv.Needs(t, "git", "Debian package git")
	_, err := compare("not-a-commit", time.Millisecond, 1)
	require.ErrorContains(t, err, "not-a-commit")
}

func TestExtract(t *testing.T) {
	files := map[string]string{
		"webhooknorm/a.go":      "package webhooknorm\n\nimport \"github.com/hailmark/hailmark/problem\"\n",
		"webhooknorm/a_test.go": "package webhooknorm\n\nfunc Read() {}\n",
		"other/read.go":         "package other\n\nfunc Read() {}\n",
		"go.mod":                "module github.com/hailmark/hailmark\n",
	}
	var archive bytes.Buffer
	w := tar.NewWriter(&archive)
	for name, text := range files {
		require.NoError(t, w.WriteHeader(&tar.Header{Typeflag: tar.TypeReg, Name: name, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		require.NoError(t, err)
	}
	require.NoError(t, w.Close())

	overlay, hasRead, err := extract(archive.Bytes(), t.TempDir(), "/old")
	require.NoError(t, err)
	require.False(t, hasRead)
	text, err := os.ReadFile(overlay)
	require.NoError(t, err)
	var replaced struct{ Replace map[string]string }
	require.NoError(t, json.Unmarshal(text, &replaced))
	require.ElementsMatch(t, []string{"/old/webhooknorm/a.go", "/old/other/read.go"}, slices.Collect(maps.Keys(replaced.Replace)))
	source, err := os.ReadFile(replaced.Replace["/old/webhooknorm/a.go"])
	require.NoError(t, err)
	require.Equal(t, "package webhooknorm\n\nimport \"github.com/hailmark/hailmark/internal/harness/bench/against/old/problem\"\n", string(source))
}
