// Command mount serves the Hailmark API next to its own routes.
package main

import (
	"log"
	"net/http"
	"time"

	"github.com/hailmark/hailmark/httpapi"
)

func main() {
	mux, err := newMux()
	if err != nil {
		log.Fatal(err)
	}
	server := http.Server{Addr: "localhost:8080", Handler: mux, ReadHeaderTimeout: 5 * time.Second}
	log.Fatal(server.ListenAndServe())
}

func newMux() (*http.ServeMux, error) {
	api, err := httpapi.New(httpapi.Config{BaseURL: "http://localhost:8080/wa", ShortLinks: true})
	if err != nil {
		return nil, err
	}
	mux := http.NewServeMux()
	mux.Handle("/wa/", api) // the prefix is that of BaseURL
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte("a service of your own\n"))
	})
	return mux, nil
}
