package httpapi_test

import (
	"encoding/json"
	"flag"
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write testdata/openapi.json anew")

// The document is committed, so that a change of the API shows in review.
func TestOpenAPIGolden(t *testing.T) {
	const golden = "testdata/openapi.json"
	got := get(newHandler(t), "/api/v1/openapi.json").Body.Bytes()
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(golden, got, 0o644))
	}
	want, err := os.ReadFile(golden)
	require.NoError(t, err)
	require.Equal(t, string(want), string(got), "if this is meant, run go test ./httpapi -update")
}

// The document names the shapes of the specification and every endpoint, no more.
func TestOpenAPINamesWhatTheSpecificationNames(t *testing.T) {
	var doc struct {
		OpenAPI    string
		Info       struct{ Version string }
		Paths      map[string]map[string]json.RawMessage
		Components struct{ Schemas map[string]json.RawMessage }
	}
	require.NoError(t, json.Unmarshal(get(newHandler(t), "/api/v1/openapi.json").Body.Bytes(), &doc))
	require.Equal(t, "3.1.0", doc.OpenAPI)
	require.Equal(t, "1.0.0", doc.Info.Version)
	for _, name := range []string{
		"Error", "Validation", "UsernameLink", "PhoneLink", "BsuidValidateInput", "BsuidValidation", "BsuidParse", "UsernameValidateInput",
		"BusinessUsernameValidation", "ContactResolveInput", "ResolvedContact", "NormalizedWebhook",
	} {
		require.Contains(t, doc.Components.Schemas, name)
	}
	endpoints := map[string]string{
		"/api/v1/username-link": http.MethodGet, "/api/v1/phone-link": http.MethodGet, "/api/v1/validate/username": http.MethodGet,
		"/api/v1/validate/key": http.MethodGet, "/api/v1/validate/phone": http.MethodGet, "/api/v1/qr": http.MethodGet, "/api/v1/openapi.json": http.MethodGet,
		"/api/v1/business/bsuid/validate": http.MethodPost, "/api/v1/business/bsuid/parse": http.MethodPost, "/api/v1/business/username/validate": http.MethodPost,
		"/api/v1/business/contact/resolve": http.MethodPost, "/api/v1/business/webhook/normalize": http.MethodPost,
	}
	require.Len(t, doc.Paths, len(endpoints))
	for path, method := range endpoints {
		require.Len(t, doc.Paths[path], 1, path)
		require.Contains(t, doc.Paths[path], map[string]string{http.MethodGet: "get", http.MethodPost: "post"}[method], path)
	}
}
