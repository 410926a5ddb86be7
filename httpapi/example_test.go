package httpapi_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"

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

// A program with links of its own serves some of the routes, with its own limits, and knows
// its clients by a header that its proxy sets.
func ExampleConfig() {
	limiter, err := httpapi.NewMemoryLimiter(httpapi.Limits{JSON: 600, QR: -1})
	if err != nil {
		fmt.Println(err)
		return
	}
	api, err := httpapi.New(httpapi.Config{
		BaseURL: "https://example.com/wa",
		Routes:  []string{"/api/v1/phone-link", "/api/v1/qr", "/api/v1/validate/"},
		Limiter: limiter,
		ClientAddr: func(r *http.Request) netip.Addr {
			addr, _ := netip.ParseAddr(r.Header.Get("X-Real-IP"))
			return addr
		},
		DisableCORS: true,
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, path := range []string{"/wa/api/v1/phone-link?phone=16505551234", "/wa/api/v1/business/bsuid/parse"} {
		w := httptest.NewRecorder()
		api.ServeHTTP(w, httptest.NewRequest(http.MethodGet, path, nil))
		fmt.Println(w.Code, w.Header().Get("X-RateLimit-Remaining"))
	}
	// Output:
	// 200 599
	// 404 598
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

// Two handlers that share a limiter share the limits of their clients.
func ExampleNewMemoryLimiter() {
	limiter, err := httpapi.NewMemoryLimiter(httpapi.Limits{JSON: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	cfg := httpapi.Config{BaseURL: "https://hi.example.com", Limiter: limiter}
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

// A trusting limiter limits only requests for QR codes.
type trusting struct{ httpapi.Limiter }

func (l trusting) Take(ctx context.Context, client netip.Addr, route string) httpapi.Decision {
	if route != "/api/v1/qr" {
		return httpapi.Decision{Allowed: true}
	}
	return l.Limiter.Take(ctx, client, route)
}

func ExampleLimiter() {
	memory, err := httpapi.NewMemoryLimiter(httpapi.Limits{QR: 1})
	if err != nil {
		fmt.Println(err)
		return
	}
	limiter, client := trusting{memory}, netip.MustParseAddr("192.0.2.1")
	for _, route := range []string{"/api/v1/phone-link", "/api/v1/phone-link", "/api/v1/qr", "/api/v1/qr"} {
		fmt.Println(limiter.Take(context.Background(), client, route).Allowed)
	}
	// Output:
	// true
	// true
	// true
	// false
}

// Middleware that rejects requests in the API's format.
func ExampleWriteError() {
	rejecting := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		httpapi.WriteError(w, r, http.StatusUnauthorized, "no_token", "the request has no token")
	})
	w := httptest.NewRecorder()
	rejecting.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/", nil))
	fmt.Println(w.Code, w.Body)
	// Output:
	// 401 {"error":{"code":"no_token","message":"the request has no token"}}
}
