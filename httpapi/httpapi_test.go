package httpapi_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/internal/check/vectors"
	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/webhooknorm"
)

// config is that of the vectors.
func config() httpapi.Config {
	return httpapi.Config{
		BaseURL: "https://hi.example.com",
		Notice:  "As of 2026-11-21, test notice.",
	}
}

// newHandler returns a handler whose clock is stopped.
func newHandler(t testing.TB, change ...func(*httpapi.Config)) *httpapi.Handler {
	t.Helper()
	cfg := config()
	for _, f := range change {
		f(&cfg)
	}
	h, err := httpapi.New(cfg)
	require.NoError(t, err)
	httpapi.SetClock(h, func() time.Time { return time.Unix(1795244400, 0) })
	return h
}

// limits returns a change of the limits.
func limits(json, qr int) func(*httpapi.Config) {
	return func(cfg *httpapi.Config) {
		cfg.Limiter, _ = httpapi.NewMemoryLimiter(httpapi.Limits{JSON: json, QR: qr})
	}
}

func unlimited(cfg *httpapi.Config) {
	limits(1<<24-1, 1<<24-1)(cfg)
}

type request struct {
	Method     string            `json:"method"`
	Path       string            `json:"path"`
	Headers    map[string]string `json:"headers"`
	Body       string            `json:"body"`
	BodyBase64 []byte            `json:"bodyBase64"`
	Padding    int               `json:"padding"`
	Repeat     int               `json:"repeat"`
	BodyEquals string            `json:"bodyEquals"` // of the response
}

type response struct {
	Status  int               `json:"status"`
	Headers map[string]string `json:"headers"`
	Absent  []string          `json:"absent"`
	Code    problem.Code      `json:"code"`
	JSON    json.RawMessage   `json:"json"`
}

func httpVectors(t testing.TB) []vectors.Vector[request, response] {
	t.Helper()
	file, err := vectors.Load[request, response]("http.json")
	require.NoError(t, err)
	return file.Vectors
}

func (r request) body() io.Reader {
	if r.BodyBase64 != nil {
		return bytes.NewReader(r.BodyBase64)
	}
	return strings.NewReader(r.Body + strings.Repeat(" ", r.Padding))
}

// send makes the request over real HTTP, as often as it says, and returns the last
// response.
func (r request) send(t *testing.T, base string) (*http.Response, []byte) {
	t.Helper()
	var res *http.Response
	var body []byte
	for range max(1, r.Repeat) {
		req, err := http.NewRequestWithContext(t.Context(), r.Method, base+r.Path, r.body())
		require.NoError(t, err)
		req.Header.Set("Accept-Encoding", "identity")
		for name, value := range r.Headers {
			req.Header.Set(name, value)
		}
		res, err = http.DefaultTransport.RoundTrip(req)
		require.NoError(t, err)
		body, err = io.ReadAll(res.Body)
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
	}
	return res, body
}

func TestHTTPVectors(t *testing.T) {
	doc, seen := readDocument(t), map[problem.Code]bool{}
	for _, v := range httpVectors(t) {
		t.Run(v.ID, func(t *testing.T) {
			server := httptest.NewServer(newHandler(t))
			defer server.Close()
			res, body := v.Input.send(t, server.URL)

			want := v.Output
			require.Equal(t, want.Status, res.StatusCode, "%s", body)
			for name, value := range want.Headers {
				require.Equal(t, value, res.Header.Get(name), name)
			}
			for _, name := range want.Absent {
				require.NotContains(t, res.Header, http.CanonicalHeaderKey(name))
			}
			if want.Code != "" {
				seen[want.Code] = true
				code, message := errorOf(t, body)
				require.Equal(t, want.Code, code)
				require.NotEmpty(t, message)
				if path, _, _ := strings.Cut(v.Input.Path, "?"); want.Status != http.StatusMethodNotAllowed && doc.Paths[path] != nil {
					require.Contains(t, doc.codes(v.Input.Method, path, want.Status), code, "the document lists it")
				}
			}
			if want.JSON != nil {
				require.JSONEq(t, string(want.JSON), string(body))
			}
			if v.Input.BodyEquals != "" {
				require.Equal(t, v.Input.BodyEquals, string(body))
			}
			requireAlways(t, v.Input, res, body)
		})
	}
	for _, code := range doc.Components.Schemas["ErrorCode"].Enum {
		elsewhere := []problem.Code{ // other tests provoke them, because it takes long bodies, time or many requests
			"internal_error", "overloaded", "request_timeout", "response_too_large", webhooknorm.CodeTooManyEvents,
		}
		require.True(t, seen[code] || slices.Contains(elsewhere, code), "no vector provokes %s", code)
	}
}

// requireAlways holds for every response there is.
func requireAlways(t *testing.T, r request, res *http.Response, body []byte) {
	t.Helper()
	require.Equal(t, "*", res.Header.Get("Access-Control-Allow-Origin"))
	require.NotEmpty(t, res.Header.Get("Access-Control-Expose-Headers"))
	require.Equal(t, "nosniff", res.Header.Get("X-Content-Type-Options"))
	require.Equal(t, "cross-origin", res.Header.Get("Cross-Origin-Resource-Policy"))
	require.Contains(t, []string{"", "Accept-Encoding"}, res.Header.Get("Vary"))
	if r.Method == http.MethodHead {
		require.Empty(t, body)
	} else {
		require.Equal(t, strconv.Itoa(len(body)), cmp.Or(res.Header.Get("Content-Length"), "0"))
	}
	if res.StatusCode == http.StatusNoContent {
		return
	}
	for _, name := range []string{"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset"} {
		_, err := strconv.Atoi(res.Header.Get(name))
		require.NoError(t, err, name)
	}
	switch {
	case res.StatusCode >= 400 || r.Method == http.MethodPost:
		require.Equal(t, "no-store", res.Header.Get("Cache-Control"))
		require.Empty(t, res.Header.Get("ETag"))
	case res.StatusCode != http.StatusNoContent:
		require.Regexp(t, `^"[^"]+"$`, res.Header.Get("ETag"), "a strong tag")
		require.Contains(t, res.Header.Get("Cache-Control"), "public")
	}
}

func errorOf(t *testing.T, body []byte) (problem.Code, string) {
	t.Helper()
	var e struct {
		Error struct {
			Code    problem.Code
			Message string
		}
	}
	dec := json.NewDecoder(bytes.NewReader(body))
	dec.DisallowUnknownFields()
	require.NoError(t, dec.Decode(&e), "%s", body)
	return e.Error.Code, e.Error.Message
}

// get asks a handler in memory.
func get(h http.Handler, target string, headers ...string) *httptest.ResponseRecorder {
	r := httptest.NewRequest(http.MethodGet, target, nil)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Add(headers[i], headers[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

// A plus that isn't escaped is a space in a query.
func TestUnescapedPlus(t *testing.T) {
	h := newHandler(t, unlimited)
	for _, number := range []string{"+16505551234", "%2B16505551234", "+1+(650)+555-1234", "+001+650+555+1234", "%2b1+650+555+1234"} {
		w := get(h, "/api/v1/validate/phone?phone="+number)
		require.JSONEq(t, `{"valid":true,"errors":[]}`, w.Body.String(), number)
		w = get(h, "/api/v1/phone-link?phone="+number+"&text=+1")
		require.JSONEq(t, `{"phone":"16505551234","link":"https://wa.me/16505551234?text=%201"}`, w.Body.String(), number)
	}
	w := get(h, "/api/v1/validate/phone?phone=1+650+555+1234")
	require.Contains(t, w.Body.String(), "phone_missing_plus")
}

func decode(t *testing.T, w *httptest.ResponseRecorder, v any) {
	t.Helper()
	require.Equal(t, http.StatusOK, w.Code, w.Body)
	require.NoError(t, json.Unmarshal(w.Body.Bytes(), v))
}

func TestConditionalRequests(t *testing.T) {
	h := newHandler(t, unlimited)
	for _, target := range []string{
		"/api/v1/username-link?username=jane", "/api/v1/phone-link?phone=16505551234", "/api/v1/validate/key?key=1",
		"/api/v1/openapi.json", "/api/v1/qr?username=jane", "/api/v1/qr?phone=16505551234&format=svg",
	} {
		t.Run(target, func(t *testing.T) {
			first := get(h, target)
			etag := first.Header().Get("ETag")
			require.Equal(t, etag, get(newHandler(t), target).Header().Get("ETag"), "the same in another process")

			for _, condition := range []string{etag, "W/" + etag, `"x", ` + etag, `"x",W/"y" ,, ` + etag + `, "z"`, "*", " * "} {
				w := get(h, target, "If-None-Match", condition)
				require.Equal(t, http.StatusNotModified, w.Code, condition)
				require.Empty(t, w.Body.Bytes())
				require.Equal(t, etag, w.Header().Get("ETag"))
				require.Equal(t, first.Header().Get("Cache-Control"), w.Header().Get("Cache-Control"))
				require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
				require.NotEmpty(t, w.Header().Get("X-RateLimit-Remaining"))
				require.Empty(t, w.Header().Get("Content-Type"))
			}
			require.Equal(t, http.StatusNotModified, get(h, target, "If-None-Match", `"x"`, "If-None-Match", etag).Code, "two lines")
			for _, condition := range []string{"", `"x"`, strings.Trim(etag, `"`), etag[:len(etag)-1], `"x`, `W/`, `"*"`, `x, ` + etag} {
				w := get(h, target, "If-None-Match", condition)
				require.Equal(t, http.StatusOK, w.Code, condition)
				require.Equal(t, first.Body.Bytes(), w.Body.Bytes())
			}
		})
	}
	require.Equal(t, http.StatusBadRequest, get(h, "/api/v1/qr?username=jane&color=fff", "If-None-Match", "*").Code, "there is nothing to have")
}

// Messages say what was found and where.
func TestMessages(t *testing.T) {
	h := newHandler(t, unlimited)
	const post = "/api/v1/business/"
	for _, tt := range []struct{ target, body, code, message string }{
		{"/api/v1/username-link?username=%zz", "", "invalid_query", `parameter username contains the invalid URL escape "%zz"`},
		{"/api/v1/username-link?username=jane&text=50%", "", "invalid_query", `parameter text contains the invalid URL escape "%"; write a percent sign itself as %25`},
		{"/api/v1/username-link?username=jane&text=%41%4", "", "invalid_query", `invalid URL escape "%4"`},
		{"/api/v1/username-link?username=jane&text=%41%", "", "invalid_query", `invalid URL escape "%"`},
		{"/api/v1/username-link?username=jane&x=%q1", "", "invalid_query", `an unknown parameter contains the invalid URL escape "%q1"`},
		{"/api/v1/username-link?username=jane&%q1=x", "", "invalid_query", `a parameter name contains the invalid URL escape "%q1"`},
		{"/api/v1/username-link?username=jane&text=a;b", "", "invalid_query", `parameter text contains a semicolon; write it as %3B`},
		{"/api/v1/username-link?username=jane&text=%ff", "", "invalid_query", `parameter text contains bytes that aren't UTF-8`},
		{"/api/v1/username-link?username=jane&text=%00", "", "invalid_query", `parameter text contains the NUL character`},
		{"/api/v1/username-link?username=jane&username=jane", "", "duplicate_parameter", "parameter username is given several times"},
		{"/api/v1/username-link?usrname=jane", "", "missing_username", `parameter username is missing; "usrname" is unknown`},
		{"/api/v1/username-link?name=jane&user=jane", "", "missing_username", `parameter username is missing; "name" is unknown`},
		{"/api/v1/username-link?" + strings.Repeat("x", 33), "", "missing_username", "parameter username is missing"},
		{"/api/v1/username-link?username=", "", "missing_username", "parameter username is empty"},
		{"/api/v1/qr", "", "missing_target", "are missing; send one of them"},
		{"/api/v1/qr?usrname=jane", "", "missing_target", `are missing; send one of them; "usrname" is unknown`},
		{"/api/v1/phone-link?phone=+49+0171+1234567", "", "phone_invalid_format", "phone has 0 after +49 (Germany)"},
		{"/api/v1/qr?phone=+49+(0171)+1234567", "", "phone_invalid_format", "phone has 0 after +49 (Germany)"},
		{"/api/v1/phone-link?phone=+0171+1234567", "", "phone_invalid_format", "phone begins with 0"},
		{"/api/v1/qr?Phone=16505551234", "", "missing_target", `are missing; send one of them; "Phone" is unknown`},
		{"/api/v1/qr?username=jane&phone=16505551234", "", "missing_target", "are both given"},
		{"/api/v1/username-link?username=jane&text=" + strings.Repeat("a", 4097), "", "text_too_long", "text has 4097 characters; at most 4096 are allowed"},
		{"/api/v1/qr?username=jane&size=128&text=" + strings.Repeat("%C3%A9", 900), "", "text_too_long", "text of 900 characters is too long for this QR code; "},
		{post + "bsuid/validate", `{"bsuid":`, "invalid_json", "at byte 9"},
		{post + "bsuid/validate", `{'bsuid':1}`, "invalid_json", "at byte 1"},
		{post + "bsuid/validate", `{"bsuid":"US.1","bsuid":"US.2"}`, "invalid_json", "a duplicate name at byte 16"},
		{post + "bsuid/validate", `{"bsuid":"US.1"} x`, "invalid_json", "at byte 17"},
		{post + "bsuid/validate", `{"bsuid":"\ud83d"}`, "invalid_json", "an unpaired surrogate at byte 10"},
		{post + "bsuid/validate", `["bsuid"]`, "invalid_json", "the body is an array; send"},
		{post + "bsuid/validate", `null`, "invalid_json", "the body is null; send"},
		{post + "bsuid/validate", `"x"`, "invalid_json", "the body is a string; send"},
		{post + "bsuid/validate", `true`, "invalid_json", "the body is a boolean; send"},
		{post + "bsuid/validate", `-1`, "invalid_json", "the body is a number; send"},
		{post + "bsuid/validate", `{"bsuid":{}}`, "invalid_field", "field bsuid is an object; send a string"},
		{post + "bsuid/validate", `{"bsuid":1}`, "invalid_field", "field bsuid is a number; send a string"},
		{post + "bsuid/validate", `{"BSUID":"US.1"}`, "missing_bsuid", `field bsuid is missing; "BSUID" is unknown`},
		{post + "bsuid/validate", `{"bsuid":""}`, "missing_bsuid", "field bsuid is empty"},
		{post + "contact/resolve", `{}`, "missing_identifier", "got no identifier"},
		{post + "contact/resolve", `{"phone":"1","username":"2"}`, "missing_identifier", "got phone and username"},
		{post + "webhook/normalize", `{"entry":[`, "webhook_invalid_json", "at byte 10"},
	} {
		method := http.MethodGet
		if tt.body != "" {
			method = http.MethodPost
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(method, tt.target, strings.NewReader(tt.body)))
		require.Equal(t, http.StatusBadRequest, w.Code, tt.target)
		code, message := errorOf(t, w.Body.Bytes())
		require.EqualValues(t, tt.code, code, tt.target)
		require.Contains(t, message, tt.message, "%s %s", tt.target, tt.body)
	}
}

func TestQRETagDistinguishesImages(t *testing.T) {
	h := newHandler(t, unlimited)
	tag := func(query string) string { return get(h, "/api/v1/qr?"+query).Header().Get("ETag") }

	all := map[string]string{}
	for _, query := range []string{
		"username=jane", "username=john", "phone=16505551234", "username=jane&text=a", "username=jane&format=svg", "username=jane&size=128",
		"username=jane&format=svg&size=256", "username=jane&color=00f", "username=jane&bg=eee", "username=jane&bg=transparent",
		"username=jane&size=128&format=svg&color=00f&bg=eee&text=a", "phone=16505551234&text=a", "phone=16505551234&format=svg",
		"phone=16505551234&size=128", "phone=16505551234&color=00f", "phone=16505551234&bg=eee",
	} {
		require.Empty(t, all[tag(query)], query)
		all[tag(query)] = query
	}
	for same, query := range map[string]string{
		"username=jane&size=512&format=png": "username=jane",
		"bg=FFF&color=000000&username=jane": "username=jane",
		"phone=%2B1-650-555-1234":           "phone=16505551234",
		"username=jane&text=%20":            "username=jane",
		"username=jane&format=svg&size=512": "username=jane&format=svg",
	} {
		require.Equal(t, tag(query), tag(same), "%s is %s", same, query)
	}
	other := newHandler(t, func(cfg *httpapi.Config) { cfg.ChatHost = "chat.example.com" })
	require.NotEqual(t, tag("username=jane"), get(other, "/api/v1/qr?username=jane").Header().Get("ETag"))
}

func TestLimitsAreSeparateAndEnd(t *testing.T) {
	now := time.Unix(1795244400, 500e6)
	h := newHandler(t)
	httpapi.SetClock(h, func() time.Time { return now })

	for i := range 20 {
		w := get(h, "/api/v1/qr")
		require.Equal(t, http.StatusBadRequest, w.Code)
		require.Equal(t, strconv.Itoa(19-i), w.Header().Get("X-RateLimit-Remaining"))
	}
	rejected := get(h, "/api/v1/qr?username=jane")
	require.Equal(t, http.StatusTooManyRequests, rejected.Code)
	require.Equal(t, "1795244461", rejected.Header().Get("X-RateLimit-Reset"), "rounded up")
	require.Equal(t, "60", rejected.Header().Get("Retry-After"))

	require.Equal(t, "59", get(h, "/api/v1/openapi.json").Header().Get("X-RateLimit-Remaining"), "counted apart")
	r := httptest.NewRequest(http.MethodOptions, "/api/v1/openapi.json", nil)
	h.ServeHTTP(httptest.NewRecorder(), r)
	require.Equal(t, "58", get(h, "/nothing").Header().Get("X-RateLimit-Remaining"), "preflight is not counted, 404 is")

	now = now.Add(59 * time.Second)
	require.Equal(t, "1", get(h, "/api/v1/qr").Header().Get("Retry-After"))
	now = now.Add(time.Second)
	require.Equal(t, http.StatusOK, get(h, "/api/v1/qr?username=jane").Code)
}

// With DisableCORS no response has a header of cross-origin requests.
func TestDisableCORS(t *testing.T) {
	h := newHandler(t, unlimited, func(cfg *httpapi.Config) { cfg.DisableCORS = true })
	for _, method := range []string{http.MethodGet, http.MethodOptions, http.MethodDelete} {
		for _, path := range []string{"/api/v1/openapi.json", "/api/v1/qr?username=jane", "/nothing"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(method, path, nil))
			for name := range w.Header() {
				require.False(t, strings.HasPrefix(name, "Access-Control-") || strings.HasPrefix(name, "Cross-Origin-"), "%s %s: %s", method, path, name)
			}
			require.Equal(t, "nosniff", w.Header().Get("X-Content-Type-Options"))
			require.Equal(t, method != http.MethodGet && path != "/nothing" || method == http.MethodOptions, w.Header().Get("Allow") != "", "%s %s", method, path)
		}
	}
}

// A handler counts the clients that ClientAddr finds.
func TestClientAddr(t *testing.T) {
	h := newHandler(t, limits(1, 0), func(cfg *httpapi.Config) {
		cfg.ClientAddr = func(r *http.Request) netip.Addr { return netip.MustParseAddr(r.Header.Get("X-Client")) }
	})
	for _, tt := range []struct {
		client string
		status int
	}{
		{"198.51.100.1", 200},
		{"198.51.100.2", 200},
		{"198.51.100.1", 429},
		{"::ffff:198.51.100.1", 429},
		{"2001:db8::1", 200},
		{"2001:db8::1:0:0:2%eth0", 429},
	} {
		require.Equal(t, tt.status, get(h, "/api/v1/openapi.json", "X-Client", tt.client).Code, tt.client)
	}
}

func TestNewReportsAllProblems(t *testing.T) {
	_, err := httpapi.New(httpapi.Config{BaseURL: "example.com", ChatHost: "https://wa.me", Notice: "soon", Routes: []string{"/api/v1/qr", "/api/v2"}})
	for _, field := range []string{"BaseURL", "ChatHost", "Notice", "Routes"} {
		require.ErrorContains(t, err, "httpapi: Config."+field+": ")
	}
	_, err = httpapi.New(httpapi.Config{})
	require.ErrorContains(t, err, "BaseURL", "it has no default")
	for _, l := range [][2]int{{1 << 24}, {1, 1 << 24}} {
		_, err = httpapi.NewMemoryLimiter(httpapi.Limits{JSON: l[0], QR: l[1]})
		require.ErrorContains(t, err, "at most 16777215 are supported")
	}
}

// A limit that is off counts nothing, and its responses have no rate limit headers.
func TestUnlimited(t *testing.T) {
	h := newHandler(t, limits(-1, 1))
	for range 100 {
		w := get(h, "/api/v1/validate/key?key=aB3d")
		require.Equal(t, http.StatusOK, w.Code)
		require.NotContains(t, w.Header(), "X-Ratelimit-Limit")
	}
	require.Equal(t, "0", get(h, "/api/v1/qr?username=jane").Header().Get("X-RateLimit-Remaining"))
	require.Equal(t, http.StatusTooManyRequests, get(h, "/api/v1/qr?username=jane").Code)
}

// A limiter that doesn't say when its window ends means now.
func TestLimiterWithoutReset(t *testing.T) {
	for _, allowed := range []bool{true, false} {
		h := newHandler(t, func(cfg *httpapi.Config) { cfg.Limiter = constant(httpapi.Decision{Allowed: allowed, Limit: 5}) })
		w := get(h, "/nothing")
		require.Equal(t, "1795244400", w.Header().Get("X-RateLimit-Reset"))
		require.Equal(t, map[bool]string{false: "1"}[allowed], w.Header().Get("Retry-After"))
	}
}

// A constant is a limiter with the same decision about every request.
type constant httpapi.Decision

func (c constant) Take(context.Context, netip.Addr, string) httpapi.Decision {
	return httpapi.Decision(c)
}

// Other routes are unknown, and the document omits them.
func TestRoutes(t *testing.T) {
	const validation, parse, qr = "/api/v1/validate/", "/api/v1/business/bsuid/parse", "/api/v1/qr"
	for _, selected := range [][]string{nil, {""}, {validation}, {parse, qr}, {"/api/v1/openapi.json"}} {
		h := newHandler(t, func(cfg *httpapi.Config) { cfg.Routes = selected })
		document := get(h, "/api/v1/openapi.json").Body.String()
		for _, path := range []string{validation + "key", validation + "phone", parse, "/api/v1/business/bsuid/validate", qr} {
			known := len(selected) == 0 || slices.ContainsFunc(selected, func(s string) bool { return strings.HasPrefix(path, s) })
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodDelete, path, nil))
			require.Equal(t, map[bool]int{true: 405, false: 404}[known], w.Code, "%s of %q", path, selected)
			require.Equal(t, known, strings.Contains(document, `"`+path+`"`))
		}
	}
}

// A panic gets status 500 and is logged without anything that the client sent.
func TestPanic(t *testing.T) {
	var log bytes.Buffer
	var clock func() time.Time
	var seen httpapi.Observation
	h := newHandler(t, func(cfg *httpapi.Config) {
		cfg.Logger = slog.New(slog.NewTextHandler(&log, nil))
		cfg.Observe = func(_ context.Context, o httpapi.Observation) { seen = o }
	})
	httpapi.SetClock(h, func() time.Time { return clock() })

	const canary = "canary4711"
	for cause, clockFails := range map[string]func() time.Time{
		"string":              func() time.Time { panic(canary) },
		"*errors.errorString": func() time.Time { panic(errors.New(canary)) },
		"index out of range":  func() time.Time { return []time.Time{}[len(canary)] },
	} {
		log.Reset()
		clock = clockFails
		w := get(h, "/api/v1/username-link?username="+canary, "User-Agent", canary, "Referer", canary)
		require.Equal(t, http.StatusInternalServerError, w.Code)
		code, message := errorOf(t, w.Body.Bytes())
		require.Equal(t, problem.Code("internal_error"), code)
		require.Equal(t, code, seen.Code)
		require.NotContains(t, message, canary)
		require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
		require.Equal(t, "no-store", w.Header().Get("Cache-Control"))
		require.Contains(t, log.String(), "method=GET route=/api/v1/username-link")
		require.Contains(t, log.String(), "httpapi_test.go")
		require.Contains(t, log.String(), cause)
		require.NotContains(t, log.String(), canary)
	}

	clock = func() time.Time { panic(http.ErrAbortHandler) }
	require.PanicsWithValue(t, http.ErrAbortHandler, func() { get(h, "/") })
}

// A panic in the middle of a response ends the connection: nothing more is written.
func TestPanicInTheMiddleOfAnAnswer(t *testing.T) {
	var log bytes.Buffer
	h := newHandler(t, func(cfg *httpapi.Config) { cfg.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	w := &brokenWriter{ResponseRecorder: httptest.NewRecorder()}
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		h.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/qr?username=jane", nil))
	})
	require.Equal(t, 1, w.writes)
	require.Contains(t, log.String(), "/api/v1/qr")
}

type brokenWriter struct {
	*httptest.ResponseRecorder
	writes int
}

func (w *brokenWriter) Write([]byte) (int, error) {
	w.writes++
	panic("a writer of somebody else's")
}

// No vector, whatever it sends, leaves a trace in the log.
func TestNothingIsLogged(t *testing.T) {
	var log bytes.Buffer
	h := newHandler(t, unlimited, func(cfg *httpapi.Config) { cfg.Logger = slog.New(slog.NewTextHandler(&log, nil)) })
	for _, v := range httpVectors(t) {
		r := httptest.NewRequest(v.Input.Method, v.Input.Path, v.Input.body())
		h.ServeHTTP(httptest.NewRecorder(), r)
	}
	require.Empty(t, log.String())
}

// A body that ends before its announced end, or never ends, is rejected.
func TestUnreadableBody(t *testing.T) {
	h := newHandler(t)
	for name, body := range map[string]io.Reader{
		"broken":  io.MultiReader(strings.NewReader(`{"bsuid":`), iotest.ErrReader(io.ErrUnexpectedEOF)),
		"endless": rand.Reader,
	} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/v1/business/bsuid/validate", body))
		require.Equal(t, http.StatusBadRequest, w.Code)
		code, _ := errorOf(t, w.Body.Bytes())
		require.Equal(t, map[string]problem.Code{"broken": "invalid_json", "endless": "body_too_large"}[name], code)
	}
}

// Every response to any query is one that the document describes. A query that is
// accepted is one that url.ParseQuery accepts.
func FuzzQuery(f *testing.F) {
	for _, v := range httpVectors(f) {
		if path, query, ok := strings.Cut(v.Input.Path, "?"); ok && len(query) < 200 {
			f.Add(path, query)
		}
	}
	h, allCodes := newHandler(f, unlimited), readDocument(f).Components.Schemas["ErrorCode"].Enum
	f.Fuzz(func(t *testing.T, path, query string) {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.URL.Path, r.URL.RawQuery = path, query
		w := httptest.NewRecorder()
		h.ServeHTTP(w, r)

		require.Contains(t, []int{200, 400, 404, 405}, w.Code)
		if w.Code != http.StatusOK {
			code, _ := errorOf(t, w.Body.Bytes())
			require.Contains(t, allCodes, code)
			return
		}
		require.True(t, slices.Contains([]string{"application/json", "image/png", "image/svg+xml"}, w.Header().Get("Content-Type")))
		values, err := url.ParseQuery(query)
		require.NoError(t, err)
		if path == "/api/v1/qr" || path == "/api/v1/username-link" {
			require.LessOrEqual(t, max(len(values["username"]), len(values["text"])), 1, "duplicates are rejected")
		}
	})
}

// The small bodies are read as a strict reference reads them.
func FuzzBody(f *testing.F) {
	for _, v := range httpVectors(f) {
		if strings.Contains(v.Input.Path, "/business/") && v.Input.Padding == 0 {
			body, err := io.ReadAll(v.Input.body())
			require.NoError(f, err)
			f.Add(body)
		}
	}
	h, allCodes := newHandler(f, unlimited), readDocument(f).Components.Schemas["ErrorCode"].Enum
	f.Fuzz(func(t *testing.T, body []byte) {
		for _, path := range []string{"bsuid/validate", "bsuid/parse", "username/validate", "contact/resolve", "webhook/normalize"} {
			w := httptest.NewRecorder()
			h.ServeHTTP(w, httptest.NewRequest(http.MethodPost, "/api/v1/business/"+path, bytes.NewReader(body)))
			require.Contains(t, []int{200, 400, 422}, w.Code)
			if w.Code == http.StatusOK {
				require.True(t, json.Valid(w.Body.Bytes()))
				require.True(t, json.Valid(body))
				continue
			}
			code, _ := errorOf(t, w.Body.Bytes())
			require.Contains(t, allCodes, code)
			if !json.Valid(body) {
				require.Contains(t, []problem.Code{"invalid_json", "webhook_invalid_json"}, code)
			}
		}
	})
}

// A response to HEAD has the length of that to GET.
func TestHead(t *testing.T) {
	h := newHandler(t, limits(-1, -1))
	server := httptest.NewServer(h)
	defer server.Close()
	client := &http.Client{Transport: &http.Transport{DisableCompression: true}}
	defer client.CloseIdleConnections()
	for _, target := range []string{"/api/v1/validate/username?username=@", "/api/v1/nothing", "/api/v1/qr?username=jane.doe", "/api/v1/openapi.json"} {
		get, err := client.Get(server.URL + target)
		require.NoError(t, err)
		defer get.Body.Close()
		head, err := client.Head(server.URL + target)
		require.NoError(t, err)
		defer head.Body.Close()
		get.Header.Del("Date")
		head.Header.Del("Date")
		require.Equal(t, get.Header, head.Header)
		require.Equal(t, get.ContentLength, head.ContentLength)
	}
}

// The response to a body that is too long isn't lost: the server reads the rest of the body
// before it closes the connection.
func TestTooLongBodyIsNotReset(t *testing.T) {
	server := httptest.NewServer(newHandler(t))
	defer server.Close()
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	require.NoError(t, err)
	defer conn.Close()
	const length = 100_000
	_, err = fmt.Fprintf(conn, "POST /api/v1/business/bsuid/parse HTTP/1.1\r\nHost: x\r\nContent-Length: %d\r\n\r\n%s", length, strings.Repeat(" ", length))
	require.NoError(t, err)
	response, err := io.ReadAll(conn)
	require.NoError(t, err)
	require.Contains(t, string(response), `"body_too_large"`)
}

// Zero means the default and a negative number no limit, for each class and in every room.
func TestLimits(t *testing.T) {
	for _, tt := range []struct {
		limits   httpapi.Limits
		json, qr int
	}{
		{httpapi.Limits{}, 60, 20},
		{httpapi.Limits{JSON: 7}, 7, 20},
		{httpapi.Limits{QR: -5}, 60, -1},
		{httpapi.Limits{JSON: -1, QR: 3}, -1, 3},
	} {
		limiter, err := httpapi.NewMemoryLimiter(tt.limits)
		require.NoError(t, err)
		for route, want := range map[string]int{"": tt.json, "/api/v1/phone-link": tt.json, "/api/v1/qr": tt.qr} {
			class, limit := tt.limits.For(route)
			require.Equal(t, want, limit)
			require.Equal(t, map[bool]string{true: "qr", false: "json"}[route == "/api/v1/qr"], class)
			d := limiter.Take(t.Context(), netip.MustParseAddr("192.0.2.1"), route)
			require.True(t, d.Allowed)
			require.Equal(t, max(0, want), d.Limit, "a decision without a limit has no headers")
		}
	}
}
