// Package vectors loads the test vectors of vectors in tests of this repository:
//
//	file, err := vectors.Load[string, string]("phone_parse_digits.json")
package vectors

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/hailmark/hailmark/problem"
)

// FS returns vectors of the repository. The module that programs download doesn't
// contain it, so tests need a clone.
func FS() fs.FS { return os.DirFS(folder()) }

// folder finds the folder from the working directory, which is that of the tested package.
func folder() string {
	dir, err := os.Getwd()
	for parent := ""; err == nil && dir != parent; parent, dir = dir, filepath.Dir(dir) {
		if _, err := os.Stat(filepath.Join(dir, "vectors", "vectors.schema.json")); err == nil {
			return filepath.Join(dir, "vectors")
		}
	}
	return "vectors"
}

// A File contains the vectors of one function.
type File[In, Out any] struct {
	Function string            `json:"function"` // such as "bsuid.ParseBSUID"
	License  string            `json:"license"`  // an SPDX license identifier
	About    string            `json:"about"`    // describes the input and the output
	Vectors  []Vector[In, Out] `json:"vectors"`
}

// A Vector is an input with its expected result, which is either an output or the codes of
// all problems, in order.
type Vector[In, Out any] struct {
	ID      string         `json:"id"`
	Comment string         `json:"comment"`         // why the vector exists
	Needs   []string       `json:"needs,omitempty"` // in http.json, the settings on which the response depends
	Input   In             `json:"input"`
	Output  *Out           `json:"output,omitempty"`
	Codes   []problem.Code `json:"codes,omitempty"`
	Source  string         `json:"source"`           // "spec: …", or an entry of decisions.md such as "D7"
	Choice  bool           `json:"choice,omitempty"` // the source is a row, because the specification is silent
}

// Load decodes a vector file as [encoding/json] does. Fields that the types In and Out lack
// are an error.
func Load[In, Out any](name string) (File[In, Out], error) {
	var f File[In, Out]
	data, err := fs.ReadFile(FS(), name)
	if err != nil {
		return f, fmt.Errorf("%w; the test vectors are only in a clone of the repository", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}
