package mcp

import (
	"encoding/json"
	"errors"
	"reflect"
	"slices"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/hailmark/hailmark/problem"
)

// codeArgument is the code of an argument that is missing, unknown, or of another type.
const codeArgument problem.Code = "invalid_argument"

// decode parses a tool's arguments into in. A null argument counts as missing, as many assistants mean
// it. The SDK's own checks would reject it, and would round numbers above 2⁵³ in webhooks.
func decode(arguments json.RawMessage, schema *jsonschema.Schema, in any) error {
	names := slices.Sorted(func(yield func(string) bool) {
		for name := range schema.Properties {
			if !yield(name) {
				return
			}
		}
	})
	given := map[string]json.RawMessage{}
	if len(arguments) > 0 {
		if err := json.Unmarshal(arguments, &given); err != nil {
			return problem.New("", codeArgument, "arguments aren't a JSON object; the tool has the arguments %s", strings.Join(names, ", "))
		}
	}
	var list problem.List
	for name, value := range given {
		switch {
		case schema.Properties[name] == nil:
			list = append(list, problem.New(name, codeArgument, "the tool has no argument %q; it has %s", name, strings.Join(names, ", ")))
		case string(value) == "null":
			delete(given, name)
		}
	}
	for _, name := range schema.Required {
		if given[name] == nil {
			list = append(list, problem.New(name, codeArgument, "%s is missing; specify it", name))
		}
	}
	if len(list) == 0 && len(arguments) > 0 {
		list = problem.All(unmarshal(arguments, in))
	}
	slices.SortFunc(list, func(a, b problem.Problem) int { return strings.Compare(a.Field, b.Field) })
	return list.Err()
}

// unmarshal explains a value of another type.
func unmarshal(arguments json.RawMessage, in any) error {
	err := json.Unmarshal(arguments, in)
	var mismatch *json.UnmarshalTypeError
	if !errors.As(err, &mismatch) {
		return err
	}
	field := mismatch.Field[strings.LastIndex(mismatch.Field, ".")+1:] // without the name of an embedded struct
	want := "a string"
	if mismatch.Type.Kind() == reflect.Int {
		want = "an integer"
	}
	found, _, _ := strings.Cut(mismatch.Value, " ") // without a number's digits
	return problem.New(field, codeArgument, "%s is of type %s; it must be %s", field, found, want)
}
