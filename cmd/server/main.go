// Command server serves the Hailmark HTTP API and its short links.
//
//	server --addr :8080 --base-url https://hi.example.com
//
// Most flags can also be set in the environment: --base-url is HAILMARK_BASE_URL. A flag
// takes precedence. server --help lists the flags and the other
// commands. On SIGTERM or SIGINT the server completes the requests that it has, and
// exits; a second signal ends it at once.
package main

import (
	"os"

	"github.com/hailmark/hailmark/cmd/internal/serve"
)

func main() { os.Exit(serve.Main("server", os.Args[1:])) }
