package main

import (
	"context"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm/webhookhttp"
)

const example = `# a comment
commit 123
test ./a ./b

new new.txt
|one
|
|	two

edit old.txt
from first
|1st
from begin
to end
from last
|last
|of all
`

func TestApply(t *testing.T) {
	r, err := parse(example)
	require.NoError(t, err)
	assert.Equal(t, "123", r.commit)
	assert.Equal(t, []string{"./a", "./b"}, r.tests)

	folder := t.TempDir()
	old := filepath.Join(folder, "old.txt")
	require.NoError(t, os.WriteFile(old, []byte("zero\nfirst line\nbegin\ninside\nend\nlast\nend\n"), 0o600))
	require.NoError(t, r.apply(folder))
	assert.Equal(t, "zero\n1st\nlast\nof all\nend\n", read(t, old))
	assert.Equal(t, "one\n\n\ttwo\n", read(t, filepath.Join(folder, "new.txt")))

	require.ErrorContains(t, r.apply(folder), "new.txt exists")
	require.NoError(t, os.Remove(filepath.Join(folder, "new.txt")))
	require.ErrorContains(t, r.apply(folder), `old.txt has no further line that begins with "first"`)
	assert.NoFileExists(t, filepath.Join(folder, "new.txt"))
}

func TestParseRejects(t *testing.T) {
	for text, want := range map[string]string{
		"commit 1\ntest a\n":                   "lacks",
		"commit 1\ntest a\nnew ../b\n":         "a path in the clone",
		"commit 1\ntest a\nedit b\n|c\n":       "in a new file",
		"commit 1\ntest a\nedit b\nto c\n":     "a known line",
		"commit 1\ntest a\nnew b\nto c\n":      "a known line",
		"from a\n":                             "a known line",
		"commit 1\ntest a\nedit b\nfrom \n|\n": "a known line",
	} {
		_, err := parse(text)
		assert.ErrorContains(t, err, want, "%s", text)
	}
}

func TestRecipes(t *testing.T) {
	for _, name := range []string{"courier", "whatomate"} {
		text, err := recipes.ReadFile(name + ".recipe")
		require.NoError(t, err)
		r, err := parse(string(text))
		require.NoError(t, err, name)
		for _, f := range r.files {
			assert.True(t, f.text != "" || len(f.cuts) > 0, "%s: %s", name, f.path)
		}
	}
}

// All deliveries are webhooks that Read understands, except the forged one, which nobody reads.
func TestPost(t *testing.T) {
	var got []webhooknorm.Webhook
	handler, err := webhookhttp.New(webhookhttp.Config{
		AppSecrets:  [][]byte{[]byte("secret")},
		VerifyToken: "token",
		Receive: func(_ context.Context, w webhooknorm.Webhook) error {
			got = append(got, w)
			return nil
		},
	})
	require.NoError(t, err)
	server := httptest.NewServer(handler)
	defer server.Close()
	require.NoError(t, post(server.URL, "secret", "111"))
	require.Len(t, got, len(deliveries))
	for i, w := range got {
		assert.NotEmpty(t, len(w.Events)+len(w.Others), deliveries[i].name)
		for _, e := range w.Events {
			assert.Equal(t, "111", e.PhoneNumberID)
			_, ok := e.Time()
			assert.True(t, ok, deliveries[i].name)
		}
	}
}

func read(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile(name)
	require.NoError(t, err)
	return string(data)
}
