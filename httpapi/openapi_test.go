package httpapi_test

import (
	"cmp"
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/problem"
)

// An apiDocument is what the tests read of the OpenAPI document.
type apiDocument struct {
	OpenAPI    string
	Info       struct{ Version string }
	Paths      map[string]map[string]operation
	Components struct {
		Schemas   map[string]objectSchema
		Responses map[string]errorResponse
	}
}

type operation struct {
	Parameters  []httpapi.Declared
	RequestBody struct {
		Content map[string]struct {
			Schema struct {
				Ref string `json:"$ref"`
			}
		}
	}
	Responses map[string]errorResponse
}

type errorResponse struct {
	Ref   string         `json:"$ref"`
	Codes []problem.Code `json:"x-error-codes"`
}

type objectSchema struct {
	Enum       []problem.Code
	Properties map[string]json.RawMessage
	Required   []string
}

func readDocument(t testing.TB) (doc apiDocument) {
	t.Helper()
	text, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &doc))
	return doc
}

// codes returns the codes that the document lists for an operation and a status.
func (doc apiDocument) codes(method, path string, status int) []problem.Code {
	response := doc.Paths[path][strings.ToLower(method)].Responses[strconv.Itoa(status)]
	if name, shared := strings.CutPrefix(response.Ref, "#/components/responses/"); shared {
		response = doc.Components.Responses[name]
	}
	return response.Codes
}

// The handler serves the file, and compresses it for clients that accept this.
func TestOpenAPIFile(t *testing.T) {
	const target = "/api/v1/openapi.json"
	want, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	h := newHandler(t, unlimited)
	for accepted, compressed := range map[string]bool{
		"": false, "br": false, "gzip;q=0": false, "gzip; q=0.000, br": false, "gzip;q=x": false, "x-gzipped": false,
		"gzip": true, "br, GZIP": true, "deflate,gzip ; q=0.5": true,
	} {
		w := get(h, target, "Accept-Encoding", accepted)
		require.Equal(t, "Accept-Encoding", w.Header().Get("Vary"))
		tag := w.Header().Get("Etag")
		require.Equal(t, compressed, tag != get(h, target).Header().Get("Etag"))
		require.Equal(t, http.StatusNotModified, get(h, target, "Accept-Encoding", accepted, "If-None-Match", tag).Code)
		var body io.Reader = w.Body
		if compressed {
			require.Equal(t, "gzip", w.Header().Get("Content-Encoding"))
			require.Less(t, w.Body.Len(), len(want)/4)
			body, err = gzip.NewReader(w.Body)
			require.NoError(t, err)
		}
		got, err := io.ReadAll(body)
		require.NoError(t, err)
		require.Equal(t, string(want), string(got), accepted)
	}
}

// The document has the routes of the handler with their parameters and fields, and the shapes
// of the specification.
func TestOpenAPIDescribesTheRoutes(t *testing.T) {
	doc := readDocument(t)
	require.Equal(t, "3.1.0", doc.OpenAPI)
	require.Equal(t, "1.0.0", doc.Info.Version)
	for _, name := range []string{
		"Error", "Validation", "UsernameLink", "PhoneLink", "BsuidValidateInput", "BsuidValidation", "BsuidParse", "UsernameValidateInput",
		"BusinessUsernameValidation", "ContactResolveInput", "ResolvedContact", "NormalizedWebhook",
	} {
		require.Contains(t, doc.Components.Schemas, name)
	}
	require.Len(t, doc.Paths, 13)
	for path, operations := range doc.Paths {
		require.Len(t, operations, 1, path)
		for method, op := range operations {
			want, known := httpapi.DeclaredOf(strings.ToUpper(method), path)
			require.True(t, known, path)
			got := op.Parameters
			if method == "post" {
				body := doc.Components.Schemas[strings.TrimPrefix(op.RequestBody.Content["application/json"].Schema.Ref, "#/components/schemas/")]
				require.NotEmpty(t, body.Properties, path)
				for name := range body.Properties {
					got = append(got, httpapi.Declared{Name: name, Required: slices.Contains(body.Required, name)})
				}
			}
			if strings.HasPrefix(path, "/api/v1/business/webhook/") {
				continue // its handler reads the body
			}
			slices.SortFunc(got, func(a, b httpapi.Declared) int { return cmp.Compare(a.Name, b.Name) })
			require.Equal(t, want, got, path)
		}
	}
}
