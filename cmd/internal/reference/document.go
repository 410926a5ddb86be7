package reference

import (
	"cmp"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// A document contains the parts of an OpenAPI document that the pages need.
type document struct {
	Info    struct{ Title, Version, Summary string }
	Servers []struct{ URL string }
	Tags    []struct{ Name, Description string }
	Paths   map[string]map[string]*operation

	Components struct {
		Schemas   map[string]*schema
		Headers   map[string]*header
		Responses map[string]*response
	}
}

type operation struct {
	OperationID          string
	Summary, Description string
	Tags                 []string
	Parameters           []parameter
	RequestBody          *struct {
		Description string
		Content     map[string]struct {
			Schema  *schema
			Example json.RawMessage
		}
	}
	Responses map[string]*response
}

type parameter struct {
	Name, Description string
	Required          bool
	Schema            *schema
	Example           any
}

type response struct {
	Ref         string `json:"$ref"`
	Description string
	Headers     map[string]*header
	Content     map[string]struct{ Schema *schema }
	Codes       []string `json:"x-error-codes"`
}

type header struct {
	Ref         string `json:"$ref"`
	Description string
}

type schema struct {
	Ref              string `json:"$ref"`
	Type             types
	Description      string
	Enum             []string
	Const            string
	Default          any
	Minimum, Maximum *int
	Format, Pattern  string
	Properties       map[string]*schema
	Required         []string
	Items            *schema
}

// types contains JSON Schema types. A single type can be a string instead of a list.
type types []string

func (t *types) UnmarshalJSON(data []byte) error {
	var one string
	if json.Unmarshal(data, &one) == nil {
		*t = types{one}
		return nil
	}
	return json.Unmarshal(data, (*[]string)(t))
}

// schema resolves a reference. Otherwise, it returns s.
func (d *document) schema(s *schema) *schema {
	if name, ok := strings.CutPrefix(s.Ref, "#/components/schemas/"); ok {
		return d.Components.Schemas[name]
	}
	return s
}

// response resolves a reference. Otherwise, it returns r.
func (d *document) response(r *response) *response {
	if name, ok := strings.CutPrefix(r.Ref, "#/components/responses/"); ok {
		return d.Components.Responses[name]
	}
	return r
}

// A field describes a parameter, or a JSON object's member at any depth.
type field struct {
	Name        string // such as "errors[].code"
	Type        string
	Description string
	Required    bool
	Default     string
	Example     string   // the value in the example request
	Enum        []string // the possible values, or nil for any
	Min, Max    string   // the bounds, or "" for none
}

// fields returns an object's members in the example's order, followed by members that it
// doesn't contain in alphabetical order. Nested objects are included.
func (d *document) fields(prefix string, s *schema, example string) []field {
	s = d.schema(s)
	var all []field
	for _, name := range inOrder(s.Properties, example) {
		property := s.Properties[name]
		f := d.field(prefix+name, property)
		f.Required = slices.Contains(s.Required, name)
		all = append(all, f)
		resolved := d.schema(property)
		all = append(all, d.fields(f.Name+".", resolved, example)...)
		if resolved.Items != nil {
			all = append(all, d.fields(f.Name+"[].", resolved.Items, example)...)
		}
	}
	return all
}

// inOrder sorts property names by their position in text.
func inOrder(properties map[string]*schema, text string) []string {
	position := func(name string) int {
		if i := strings.Index(text, `"`+name+`":`); i >= 0 {
			return i
		}
		return len(text)
	}
	names := make([]string, 0, len(properties))
	for name := range properties {
		names = append(names, name)
	}
	slices.Sort(names)
	slices.SortStableFunc(names, func(a, b string) int { return position(a) - position(b) })
	return names
}

// field describes a schema.
func (d *document) field(name string, s *schema) field {
	resolved := d.schema(s)
	f := field{Name: name, Type: d.typeOf(s), Description: s.Description, Enum: resolved.Enum}
	f.Description = cmp.Or(f.Description, resolved.Description)
	if resolved.Items != nil {
		f.Description = cmp.Or(f.Description, d.schema(resolved.Items).Description)
	}
	if resolved.Default != nil {
		f.Default = asText(resolved.Default)
	}
	if resolved.Minimum != nil && resolved.Maximum != nil {
		f.Min, f.Max = strconv.Itoa(*resolved.Minimum), strconv.Itoa(*resolved.Maximum)
	}
	if resolved.Const != "" {
		f.Enum = []string{resolved.Const}
	}
	return f
}

// typeOf returns a schema's type for readers.
func (d *document) typeOf(s *schema) string {
	s = d.schema(s)
	switch {
	case len(s.Type) == 0:
		return "any value"
	case s.Items != nil:
		return "array of " + d.typeOf(s.Items)
	default:
		return strings.Join(s.Type, " or ")
	}
}

// asText returns a JSON value for a query.
func asText(v any) string {
	if s, ok := v.(string); ok {
		return s
	}
	b, _ := json.Marshal(v) // the value comes from JSON
	return string(b)
}
