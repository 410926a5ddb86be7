package redislimit_test

import (
	"log"
	"log/slog"
	"net/http"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/redislimit"
)

// Replicas that use the same Redis server share the limits.
func ExampleNew() {
	limiter, err := redislimit.New("redis://localhost:6379/0", httpapi.Limits{JSON: 600, QR: 60}, slog.Default())
	if err != nil {
		log.Print(err) // an invalid argument; an outage isn't an error
		return
	}
	defer func() { _ = limiter.Close() }()

	api, err := httpapi.New(httpapi.Config{BaseURL: "https://hi.example.com", Limiter: limiter})
	if err != nil {
		log.Print(err)
		return
	}
	http.Handle("/api/v1/", api)
}
