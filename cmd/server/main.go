// Command server serves the Hailmark HTTP API and its short links.
//
//	server -addr :8080 -base-url https://hi.example.com
//
// Every flag except -version can also be set in the environment: -base-url is
// HAILMARK_BASE_URL. A flag takes precedence over its variable. server -help lists the
// flags and the other commands.
//
// On SIGTERM or SIGINT the server reports that it is not ready, serves for another
// -drain-delay, closes its listener, completes the requests that it has, and exits. A
// second signal ends it at once.
package main

import (
	"os"

	"github.com/hailmark/hailmark/cmd/internal/serve"
)

func main() { os.Exit(serve.Main("server", os.Args[1:])) }
