// Command server serves the Hailmark HTTP API and its short links.
//
//	server --addr :8080 --base-url https://hi.example.com
//
// Most flags can also be set in the environment. For example, HAILMARK_BASE_URL sets --base-url
// unless that flag is present. server --help lists the flags and commands. On SIGTERM or SIGINT, the
// server completes its requests and exits; a second signal ends it at once.
package main

import (
	"os"

	"github.com/hailmark/hailmark/cmd/internal/serve"
)

func main() { os.Exit(serve.Main(os.Args[1:])) }
