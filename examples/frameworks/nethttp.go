//go:build frameworks

package frameworks

import "net/http"

// mountNetHTTP mounts the handler into net/http.
func mountNetHTTP(mux *http.ServeMux, handler http.Handler) {
	mux.HandleFunc("/webhook/{tenant}", func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r.WithContext(withTenant(r.Context(), r.PathValue("tenant"))))
	})
}
