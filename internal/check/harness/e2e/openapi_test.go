package e2e_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
)

// Every operation answers its own examples with 200, as documented, and to the tag
// of that answer with 304.
func TestOperationsAnswerTheirExamples(t *testing.T) {
	server := serve(t, unlimited)
	j := newJudge(t, document(t, server.URL))

	operations := 0
	for path, item := range j.doc.Paths.Map() {
		for method, op := range item.Operations() {
			operations++
			t.Run(op.OperationID, func(t *testing.T) {
				r := example(op).request(t, method, path)
				asked := httptest.NewRequest(r.Method, r.Path, strings.NewReader(r.Body))
				asked.Header.Set("Content-Type", r.Headers["Content-Type"])
				require.NoError(t, j.request(asked))

				res, body := r.send(t, server.URL)
				require.Equal(t, http.StatusOK, res.StatusCode, "%s", body)
				require.NoError(t, j.response(res, body))
				if method != http.MethodGet {
					return
				}
				r.Headers["If-None-Match"] = res.Header.Get("ETag")
				res, body = r.send(t, server.URL)
				require.Equal(t, http.StatusNotModified, res.StatusCode)
				require.Empty(t, body)
				require.NoError(t, j.response(res, body))
			})
		}
	}
	require.Equal(t, 13, operations)
}

// Whatever the vectors provoke is documented, and what is documented is provoked,
// down to the error codes.
func TestVectorsAgreeWithTheDocument(t *testing.T) {
	file, err := vectors.Load[request, json.RawMessage]("http.json")
	require.NoError(t, err)
	shared := serve(t, unlimited)
	j := newJudge(t, document(t, shared.URL))

	provoked := map[problem.Code]bool{}
	for _, v := range file.Vectors {
		t.Run(v.ID, func(t *testing.T) {
			server := shared
			if slices.Contains(v.Needs, "limits") {
				server = serve(t)
			}
			res, body := v.Input.send(t, server.URL)
			path := res.Request.URL.Path
			op := j.operation(v.Input.Method, path)
			switch {
			case v.Input.Method == http.MethodOptions:
				require.Equal(t, http.StatusNoContent, res.StatusCode)
				require.Empty(t, body)
			case res.StatusCode == http.StatusNotFound:
				require.True(t, op == nil || strings.Contains(v.Input.Path, "%2F"))
				require.Contains(t, codesOf(j.doc.Components.Responses["NotFound"]), problem.Code("not_found"))
			case op != nil:
				require.NoError(t, j.response(res, body))
			default:
				require.Equal(t, http.StatusMethodNotAllowed, res.StatusCode)
			}
			if res.StatusCode < 400 || v.Input.Method == http.MethodHead {
				return
			}
			code, err := j.errorCode(body)
			require.NoError(t, err)
			provoked[code] = true
			if op != nil && res.StatusCode != http.StatusNotFound {
				require.Contains(t, codesOf(op.Responses.Status(res.StatusCode)), code)
			}
		})
	}
	for _, item := range j.doc.Paths.Map() {
		for _, op := range item.Operations() {
			for status, response := range op.Responses.Map() {
				codes := codesOf(response)
				require.Equal(t, status >= "400", len(codes) > 0, "%s %s", op.OperationID, status)
				for _, code := range codes {
					require.True(t, provoked[code] || slices.Contains(unprovoked, code), "%s lists %s, which no vector provokes", op.OperationID, code)
				}
			}
		}
	}
}

func TestEveryPathHasPreflight(t *testing.T) {
	server := serve(t)
	j := newJudge(t, document(t, server.URL))
	for path, item := range j.doc.Paths.Map() {
		r := request{Method: http.MethodOptions, Path: path, Headers: map[string]string{"Origin": "https://a.example"}}
		res, body := r.send(t, server.URL)
		require.Equal(t, http.StatusNoContent, res.StatusCode, path)
		require.Empty(t, body)
		require.Equal(t, "*", res.Header.Get("Access-Control-Allow-Origin"))
		for method := range item.Operations() {
			require.Contains(t, strings.Split(res.Header.Get("Access-Control-Allow-Methods"), ", "), method, path)
		}
	}
}

// The judge rejects each response that was tampered with.
func TestJudgeRejects(t *testing.T) {
	server := serve(t)
	j := newJudge(t, document(t, server.URL))
	good := request{Method: http.MethodPost, Path: "/api/v1/business/contact/resolve", Body: `{"phone":"16505551234"}`}
	res, body := good.send(t, server.URL)
	require.NoError(t, j.response(res, body))

	for name, tamper := range map[string]func(*http.Response, *string){
		"undocumented status":     func(r *http.Response, _ *string) { r.StatusCode = http.StatusTeapot },
		"undocumented media type": func(r *http.Response, _ *string) { r.Header.Set("Content-Type", "text/plain") },
		"missing header":          func(r *http.Response, _ *string) { r.Header.Del("Cache-Control") },
		"wrong header":            func(r *http.Response, _ *string) { r.Header.Set("X-RateLimit-Limit", "many") },
		"missing field":           func(_ *http.Response, b *string) { *b = strings.Replace(*b, `"bsuid":null,`, "", 1) },
		"additional field":        func(_ *http.Response, b *string) { *b = strings.Replace(*b, "{", `{"x":1,`, 1) },
		"wrong type":              func(_ *http.Response, b *string) { *b = strings.Replace(*b, `"bsuid":null`, `"bsuid":1`, 1) },
		"not in the enum":         func(_ *http.Response, b *string) { *b = strings.Replace(*b, `"type":"phone"`, `"type":"fax"`, 1) },
		"never but null": func(_ *http.Response, b *string) {
			*b = strings.Replace(*b, `"displayName":null`, `"displayName":""`, 1)
		},
		"no JSON": func(_ *http.Response, b *string) { *b = (*b)[1:] },
	} {
		t.Run(name, func(t *testing.T) {
			tampered, text := *res, string(body)
			tampered.Header = res.Header.Clone()
			tamper(&tampered, &text)
			require.Error(t, j.response(&tampered, []byte(text)))
		})
	}
	_, err := j.errorCode([]byte(`{"error":{"code":"not_found"}}`))
	require.Error(t, err)
}
