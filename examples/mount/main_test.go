package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMux(t *testing.T) {
	mux, err := newMux()
	require.NoError(t, err)
	get := func(target string) *httptest.ResponseRecorder {
		w := httptest.NewRecorder()
		mux.ServeHTTP(w, httptest.NewRequest(http.MethodGet, target, nil))
		return w
	}

	require.Equal(t, "a service of your own\n", get("/").Body.String())
	link := get("/wa/api/v1/username-link?username=jane")
	require.Equal(t, http.StatusOK, link.Code)
	require.Contains(t, link.Body.String(), `"shortLink":"http://localhost:8080/wa/jane"`)
	require.Equal(t, "https://wa.me/jane", get("/wa/jane").Header().Get("Location"), "the short link leads on")
}
