package e2e_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/stretchr/testify/require"
)

// officialSchema compiles the schema in testdata/oas-3.1.
func officialSchema(t *testing.T) *jsonschema.Schema {
	t.Helper()
	read := func(name string) map[string]any {
		data, err := os.ReadFile(filepath.Join("testdata", "oas-3.1", name))
		require.NoError(t, err)
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
		require.NoError(t, err)
		return value.(map[string]any)
	}
	document, dialect, meta := read("schema.json"), read("dialect.json"), read("meta.json")
	// The schema leaves open what a Schema Object is; here it is the dialect's.
	document["$defs"].(map[string]any)["schema"].(map[string]any)["$ref"] = dialect["$id"]

	c := jsonschema.NewCompiler()
	c.AssertFormat()
	for _, resource := range []map[string]any{document, dialect, meta} {
		require.NoError(t, c.AddResource(resource["$id"].(string), resource))
	}
	schema, err := c.Compile(document["$id"].(string))
	require.NoError(t, err)
	return schema
}

func TestDocumentFitsTheOfficialSchema(t *testing.T) {
	schema, text := officialSchema(t), string(document(t, serve(t).URL))
	validate := func(text string) error {
		value, err := jsonschema.UnmarshalJSON(strings.NewReader(text))
		require.NoError(t, err)
		return schema.Validate(value)
	}
	require.NoError(t, validate(text))

	// The schema rejects these, down to the schemas in the document.
	for _, broken := range []struct{ old, new string }{
		{`"openapi": "3.1.0"`, `"openapi": "3.0.3"`},
		{`"title": "Hailmark",`, ``},
		{`"identifier": "MIT",`, `"identifier": "MIT", "url": "https://hi.example.com",`},
		{`"in": "query"`, `"in": "body"`},
		{`"required": true,`, `"required": "yes",`},
		{`"operationId": "getQR",`, `"operationId": "getQR", "unheardOf": 1,`},
		{`"type": "boolean"`, `"type": "bool"`},
		{`"pattern": "^`, `"pattern": "(^`},
		{`"minimum": 128`, `"minimum": "128"`},
		{`"additionalProperties": false`, `"additionalProperties": 0`},
		{`"$ref": "#/components/schemas/Error"`, `"$ref": 5`},
	} {
		require.Contains(t, text, broken.old)
		require.Error(t, validate(strings.Replace(text, broken.old, broken.new, 1)), broken.new)
	}
}
