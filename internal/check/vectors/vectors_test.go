package vectors_test

import (
	"encoding/json"
	"io/fs"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
)

// all returns every vector by "file.json#id".
func all(t *testing.T) map[string]vectors.Vector[json.RawMessage, json.RawMessage] {
	t.Helper()
	names, err := fs.Glob(vectors.FS(), "*.json")
	require.NoError(t, err)
	require.NotEmpty(t, names)
	found := map[string]vectors.Vector[json.RawMessage, json.RawMessage]{}
	for _, name := range names {
		if !vectors.IsVectors(name) {
			continue
		}
		file, err := vectors.Load[json.RawMessage, json.RawMessage](name)
		require.NoError(t, err)
		require.NotEmpty(t, file.Function, name)
		require.NotEmpty(t, file.About, name)
		for _, v := range file.Vectors {
			id := name + "#" + v.ID
			require.Regexp(t, `^[a-z0-9]+(-[a-z0-9]+)*$`, v.ID)
			require.NotContains(t, found, id, "an id occurs once")
			found[id] = v
		}
	}
	return found
}

// Every vector has a result and a source, and the source exists.
func TestVectorsAreWellFormed(t *testing.T) {
	decisions, err := fs.ReadFile(vectors.FS(), "decisions.md")
	require.NoError(t, err)
	for id, v := range all(t) {
		require.NotEmpty(t, v.Input, id)
		require.NotEmpty(t, v.Comment, "%s says why it exists", id)
		require.True(t, (v.Output == nil) != (v.Codes == nil), "%s has an output or codes", id)
		if strings.HasPrefix(v.Source, "spec: ") {
			require.False(t, v.Choice, "%s follows the specification, so it is no choice", id)
			continue
		}
		require.True(t, v.Choice, "%s is a choice", id)
		require.Regexp(t, `^D[1-9][0-9]*$`, v.Source, id)
		require.Regexp(t, `(?m)^- (D[0-9]+, )*`+v.Source+`(, D[0-9]+)*: `, string(decisions), id)
	}
}

// names.json lists all codes, so that other implementations can.
func TestCodesAreListed(t *testing.T) {
	list, err := vectors.Names("codes")
	require.NoError(t, err)
	for id, v := range all(t) {
		codes := v.Codes
		if v.Output != nil && strings.HasPrefix(id, "http.json#") {
			var response struct{ Code problem.Code }
			require.NoError(t, json.Unmarshal(*v.Output, &response))
			if response.Code != "" {
				codes = append(codes, response.Code)
			}
		}
		for _, code := range codes {
			require.Contains(t, list, string(code), id)
		}
	}
}

func TestLoadIsStrict(t *testing.T) {
	_, err := vectors.Load[string, string]("nothing.json")
	require.Error(t, err)
	_, err = vectors.Load[int, string]("key_parse.json")
	require.ErrorContains(t, err, "key_parse.json")
}
