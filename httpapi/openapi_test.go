package httpapi_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"regexp"
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

// The handler serves the file as it is.
func TestOpenAPIFile(t *testing.T) {
	want, err := os.ReadFile("openapi.json")
	require.NoError(t, err)
	require.Equal(t, string(want), get(newHandler(t), "/api/v1/openapi.json").Body.String())
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
	require.Len(t, doc.Paths, 12)
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
			if path == "/api/v1/business/webhook/normalize" {
				continue // its handler reads the body
			}
			slices.SortFunc(got, func(a, b httpapi.Declared) int { return cmp.Compare(a.Name, b.Name) })
			require.Equal(t, want, got, path)
		}
	}
}

// Values that provoke each problem with a parameter or field.
var badValues = map[string][]string{
	"username": {"", "ab", "Jane", "12345", ".jane", "ja..ne", "www.jane", "jane.com"},
	"phone":    {"", "+49 0171 1234567"},
	"bsuid":    {"", "US"},
	"key":      {"", "a-b"},
	"text":     {"\x01", strings.Repeat("a", 4097), strings.Repeat("🙂", 2000)},
	"format":   {"gif"},
	"size":     {"127"},
	"color":    {"red", "ffffff"},
	"bg":       {"red"},
}

// examples returns the example request of an operation, and requests that are wrong in all
// the ways there are.
func examples(t *testing.T, method, path string, op map[string]any) (all []request) {
	t.Helper()
	if method == http.MethodGet {
		query, wrong := url.Values{}, []string{"%", "?"}
		for _, p := range orNone(op["parameters"]) {
			if example := p.(map[string]any)["example"]; example != nil {
				query.Set(p.(map[string]any)["name"].(string), fmt.Sprint(example))
			}
		}
		all = append(all, request{Method: method, Path: path + "?" + query.Encode()}, request{Method: http.MethodHead, Path: path + "?" + query.Encode()})
		for name := range query {
			wrong = append(wrong, query.Encode()+"&"+name+"=1")
			for _, value := range badValues[name] {
				changed := maps.Clone(query)
				changed.Set(name, value)
				wrong = append(wrong, changed.Encode())
			}
		}
		if query.Has("username") && path == "/api/v1/qr" {
			wrong = append(wrong, "phone=1")
		}
		for _, q := range wrong {
			all = append(all, request{Method: method, Path: path + "?" + q})
		}
		return all
	}
	example := op["requestBody"].(map[string]any)["content"].(map[string]any)["application/json"].(map[string]any)["example"]
	text, err := json.Marshal(example)
	require.NoError(t, err)
	bodies := []string{string(text), "", "{}", "[]", "null", `{"username":1,"bsuid":1,"phone":1}`, `{"a":1,"a":1}`}
	for name, values := range badValues {
		for _, value := range values {
			text, err := json.Marshal(map[string]string{name: value})
			require.NoError(t, err)
			bodies = append(bodies, string(text))
		}
	}
	message := func(n int) string { return strings.TrimSuffix(strings.Repeat(`{"from":"1"},`, n), ",") }
	bodies = append(bodies, `{"messages":[`+message(16_385)+`]}`,
		`{"contacts":[{"wa_id":"1","profile":{"name":"`+strings.Repeat("a", 1<<20)+`"}}],"messages":[`+message(9)+`]}`)
	for _, body := range bodies {
		all = append(all, request{Method: method, Path: path, Body: body})
	}
	return append(all, request{Method: method, Path: path, Body: "{}", Padding: 4 << 20},
		request{Method: method, Path: path, Headers: map[string]string{"Content-Type": "text/plain"}})
}

// An openAPI is the document as it is.
type openAPI map[string]any

// at returns the part at a reference or at this place.
func (doc openAPI) at(part any) map[string]any {
	m := part.(map[string]any)
	for ref, isRef := m["$ref"].(string); isRef; ref, isRef = m["$ref"].(string) {
		m = doc
		for name := range strings.SplitSeq(strings.TrimPrefix(ref, "#/"), "/") {
			m = m[name].(map[string]any)
		}
	}
	return m
}

// requireSchema requires that a value has a schema, of the keywords that the document uses.
func (doc openAPI) requireSchema(t *testing.T, part, value any) {
	t.Helper()
	schema := doc.at(part)
	for keyword, rule := range schema {
		switch keyword {
		case "type":
			kinds := map[string]string{"map[string]interface {}": "object", "[]interface {}": "array", "string": "string", "bool": "boolean", "<nil>": "null"}
			require.Contains(t, fmt.Sprint(rule), kinds[fmt.Sprintf("%T", value)])
		case "const":
			require.Equal(t, rule, value)
		case "enum":
			require.Contains(t, rule, value)
		case "pattern":
			require.Regexp(t, rule, value)
		case "items":
			for _, item := range value.([]any) {
				doc.requireSchema(t, rule, item)
			}
		case "required":
			for _, name := range rule.([]any) {
				require.Contains(t, value, name)
			}
		case "properties":
			for name, member := range value.(map[string]any) {
				if rule := rule.(map[string]any)[name]; rule != nil {
					doc.requireSchema(t, rule, member)
				} else {
					require.NotEqual(t, false, schema["additionalProperties"], name)
				}
			}
		case "description", "additionalProperties", "example", "format":
		default:
			require.Fail(t, "unknown keyword", keyword)
		}
	}
}

// Whatever is sent to an operation, the document lists the status, the code, the header fields
// and the members of the response. And it lists no codes that nothing provokes.
func TestOpenAPIAgrees(t *testing.T) {
	var doc openAPI
	h := newHandler(t, unlimited)
	require.NoError(t, json.Unmarshal(get(h, "/api/v1/openapi.json").Body.Bytes(), &doc))
	always := regexp.MustCompile("^(Access-Control-|Cross-Origin-|X-Content-Type-Options|Content-(Type|Length|Security-Policy)|Connection)")
	for path, operations := range doc["paths"].(map[string]any) {
		for method, op := range operations.(map[string]any) {
			op, method, seen := op.(map[string]any), strings.ToUpper(method), map[string]map[any]bool{}
			send := func(h http.Handler, r request) {
				req := httptest.NewRequest(r.Method, r.Path, r.body())
				for name, value := range r.Headers {
					req.Header.Set(name, value)
				}
				w := httptest.NewRecorder()
				h.ServeHTTP(w, req)
				status := strconv.Itoa(w.Code)
				require.Contains(t, op["responses"], status, "%s %s", r.Method, r.Path)
				listed := doc.at(op["responses"].(map[string]any)[status])
				headers := listed["headers"].(map[string]any)
				for name := range w.Header() {
					found := slices.ContainsFunc(slices.Collect(maps.Keys(headers)), func(h string) bool { return strings.EqualFold(h, name) })
					require.True(t, found || always.MatchString(name), "%s %s: %s", path, status, name)
				}
				for name := range headers {
					require.True(t, w.Header().Get(name) != "" || name == "X-QR-Warning", "%s %s: %s", path, status, name)
				}
				if listed["content"] == nil {
					require.Empty(t, w.Body.String())
					return
				}
				content := listed["content"].(map[string]any)
				require.Contains(t, content, w.Header().Get("Content-Type"))
				if w.Header().Get("Content-Type") != "application/json" || r.Method == http.MethodHead {
					return
				}
				var body map[string]any
				require.NoError(t, json.Unmarshal(w.Body.Bytes(), &body))
				doc.requireSchema(t, doc.at(content["application/json"])["schema"], body)
				if w.Code != http.StatusOK {
					if seen[status] == nil {
						seen[status] = map[any]bool{}
					}
					code := body["error"].(map[string]any)["code"]
					require.Contains(t, listed["x-error-codes"], code, "%s %s", path, status)
					seen[status][code] = true
				}
			}
			all := examples(t, method, path, op)
			for _, r := range all {
				send(h, r)
			}
			require.Equal(t, http.StatusOK, sendOne(h, all[0]).Code, "the example of %s", path)
			send(h, request{Method: http.MethodDelete, Path: path})
			send(newHandler(t, func(cfg *httpapi.Config) { cfg.Limiter = constant{Limit: 1} }), all[0])
			if method == http.MethodGet {
				send(h, request{Method: method, Path: all[0].Path, Headers: map[string]string{"If-None-Match": "*"}})
			}
			for status, listed := range op["responses"].(map[string]any) {
				if !slices.Contains([]string{"404", "408", "500", "503"}, status) { // of other paths, and provoked by other tests
					for _, code := range append([]any{}, orNone(doc.at(listed)["x-error-codes"])...) {
						require.True(t, seen[status][code], "%s never returns %s %s", path, status, code)
					}
				}
			}
		}
	}
}

func orNone(list any) []any { all, _ := list.([]any); return all }

func sendOne(h http.Handler, r request) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequest(r.Method, r.Path, r.body()))
	return w
}
