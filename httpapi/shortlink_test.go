package httpapi_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
)

func TestShortLinks(t *testing.T) {
	links, err := httpapi.NewShortLinks(httpapi.Config{})
	require.NoError(t, err)
	mux := http.NewServeMux()
	mux.Handle("/api/v1/", newHandler(t))
	mux.Handle("/{username}", links)

	for target, location := range map[string]string{
		"/jane.doe": "https://wa.me/jane.doe", "/jane?text=x": "https://wa.me/jane", "/api": "https://wa.me/api",
		"/favicon.ico": "https://wa.me/favicon.ico", // a valid username
	} {
		w := get(mux, target)
		require.Equal(t, http.StatusFound, w.Code, target)
		require.Equal(t, location, w.Header().Get("Location"))
		require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
	}
	for _, target := range []string{"/Jane", "/@jane", "/ab", "/16505551234", "/robots.txt", "/jane%2Fdoe", "/jane%0d%0a", "/%2F%2Fevil.example"} {
		w := get(links, target)
		require.Equal(t, http.StatusNotFound, w.Code, target)
		code, _ := errorOf(t, w.Body.Bytes())
		require.Equal(t, httpapi.CodeNotFound, code)
		require.Empty(t, w.Header().Get("Location"))
	}

	for method, status := range map[string]int{http.MethodHead: 302, http.MethodPost: 405, http.MethodDelete: 405, http.MethodOptions: 204} {
		w := httptest.NewRecorder()
		links.ServeHTTP(w, httptest.NewRequest(method, "/jane", nil))
		require.Equal(t, status, w.Code, method)
		require.Equal(t, "*", w.Header().Get("Access-Control-Allow-Origin"))
		if status != http.StatusFound {
			require.Equal(t, "GET, HEAD, OPTIONS", w.Header().Get("Allow"))
		}
	}

	other, err := httpapi.NewShortLinks(httpapi.Config{ChatHost: "chat.example.com"})
	require.NoError(t, err)
	require.Equal(t, "https://chat.example.com/jane", get(other, "/jane").Header().Get("Location"))
	_, err = httpapi.NewShortLinks(httpapi.Config{ChatHost: "https://wa.me"})
	require.Error(t, err)
}
