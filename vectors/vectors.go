// Package vectors has the test vectors of this module: one embedded JSON file for each
// function, which other implementations can use too.
//
//	file, err := vectors.Load[string, string]("key_parse.json")
//	for _, v := range file.Vectors {
//		fmt.Println(v.ID, v.Input, v.Output, v.Codes)
//	}
//
// README.md describes the files, and how to use them from other languages. The package is
// for tests: only tests of this module import it.
package vectors

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"

	"github.com/hailmark/hailmark/problem"
)

//go:embed *.json
var files embed.FS

// FS returns the vector files, such as "key_parse.json", and "vectors.schema.json", their
// JSON Schema.
func FS() fs.FS { return files }

// A File is one vector file: the vectors of one function.
type File[In, Out any] struct {
	Function string            `json:"function"` // Go name with its package, e.g. "bsuid.ParseBSUID"
	License  string            `json:"license"`  // an SPDX license identifier
	About    string            `json:"about"`    // describes the input and the output
	Vectors  []Vector[In, Out] `json:"vectors"`
}

// A Vector is one input with the expected result. Exactly one of Output and Codes is set:
// a vector has an output or the codes of all problems, in order.
type Vector[In, Out any] struct {
	ID      string         `json:"id"`
	Comment string         `json:"comment"`         // why the vector exists
	Needs   []string       `json:"needs,omitempty"` // in http.json, the settings of the server on which the response depends
	Input   In             `json:"input"`
	Output  *Out           `json:"output,omitempty"`
	Codes   []problem.Code `json:"codes,omitempty"`
	Source  string         `json:"source"`           // "spec: …", a place in the specification, or "D7", a number in decisions.md
	Choice  bool           `json:"choice,omitempty"` // the specification is silent, and source is in decisions.md
}

// Load reads the vector file with this name into the types In and Out. Both are decoded
// as by [encoding/json], and [json.RawMessage] leaves the decoding to the caller. The
// error is not nil if the file does not exist or has a field that the types do not have.
func Load[In, Out any](name string) (File[In, Out], error) {
	var f File[In, Out]
	data, err := files.ReadFile(name)
	if err != nil {
		return f, err
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&f); err != nil {
		return f, fmt.Errorf("%s: %w", name, err)
	}
	return f, nil
}
