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
	_, err := httpapi.New(httpapi.Config{BaseURL: "hi.example.com", QRLimit: -1})
	fmt.Println(err)
	// Output:
	// BaseURL: base URL must be http or https with a host and perhaps a path, such as https://example.com, not "hi.example.com"
	// QRLimit: must be 1-16777215 requests a minute, or 0 for the default, not -1
}

func ExampleNewShortLinks() {
	links, err := httpapi.NewShortLinks(httpapi.Config{})
	if err != nil {
		fmt.Println(err)
		return
	}
	mux := http.NewServeMux()
	mux.Handle("/{username}", links)

	w := httptest.NewRecorder()
	mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, "/jane.doe", nil))
	fmt.Println(w.Code, w.Header().Get("Location"))
	// Output: 302 https://wa.me/jane.doe
}
