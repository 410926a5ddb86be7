package httpapi_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"

	"github.com/hailmark/hailmark/httpapi"
)

func ExampleNew() {
	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com"})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", api)

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/validate/key?key=aB3d", nil))
	fmt.Println(w.Code, w.Header().Get("X-RateLimit-Remaining"))
	fmt.Print(w.Body)
	// Output:
	// 200 59
	// {"valid":true,"errors":[]}
}

// A Config that cannot work is refused with everything that is wrong with it.
func ExampleNew_refused() {
	_, err := httpapi.New(httpapi.Config{BaseURL: "hi.example.com", QRLimit: -2})
	fmt.Println(err)
	// Output:
	// httpapi: Config.BaseURL: base URL must be http or https with a host and optionally a path, such as https://example.com; got "hi.example.com"
	// httpapi: Config.QRLimit: must be 1-16777215 requests a minute, 0 for the default or Unlimited; got -2
}

// With ShortLinks the handler also redirects /jane.doe to the chat.
func ExampleConfig_shortLinks() {
	handler, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com", ShortLinks: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/jane.doe?text=Hi", "/@docs", "/docs"} {
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Println(path, w.Code, w.Header().Get("Location"))
	}
	// Output:
	// /jane.doe?text=Hi 302 https://wa.me/jane.doe?text=Hi
	// /@docs 302 https://wa.me/docs
	// /docs 404
}

// Validate returns what New would refuse, field by field, so that a program can name
// its own flag or variable.
func ExampleConfig_Validate() {
	for _, problem := range (httpapi.Config{BaseURL: "https://hi.example.com", QRLimit: -2}).Validate() {
		fmt.Println(problem.Field, "-", problem.Err)
	}
	// Output: QRLimit - must be 1-16777215 requests a minute, 0 for the default or Unlimited; got -2
}

// Two handlers that share a limiter share the limits of their clients.
func ExampleNewMemoryLimiter() {
	limiter, err := httpapi.NewMemoryLimiter(0)
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := httpapi.Config{BaseURL: "https://hi.example.com", JSONLimit: 1, Limiter: limiter}
	for range 2 {
		api, err := httpapi.New(cfg)
		if err != nil {
			fmt.Println(err)
			return
		}
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/api/v1/validate/phone?phone=16505551234", nil))
		fmt.Println(w.Code)
	}
	// Output:
	// 200
	// 429
}

// ParseProxies reads the proxies from a flag or a variable of the environment.
func ExampleParseProxies() {
	proxies, err := httpapi.ParseProxies("10.0.0.7, fd00::/8")
	fmt.Println(proxies, err)
	// Output: [10.0.0.7/32 fd00::/8] <nil>
}
