// Command hailmark is the service as one binary.
//
//	hailmark serve -addr :8080 -base-url https://hi.example.com
//
// hailmark serve is the same program as the command server; hailmark serve -help lists
// its flags.
package main

import (
	"fmt"
	"io"
	"os"

	"github.com/hailmark/hailmark/cmd/internal/serve"
)

const usage = `Hailmark: links, QR codes and webhooks of WhatsApp.

  hailmark serve [flags]   run the HTTP service; hailmark serve -help lists the flags
  hailmark healthcheck     check a running service, as a container's health check does
  hailmark licenses        print the licences of all linked modules
  hailmark version         print the version

Example: hailmark serve -addr 127.0.0.1:8080
`

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run runs a command and returns the exit status.
func run(args []string, stdout, stderr io.Writer) int {
	if len(args) == 0 {
		fmt.Fprint(stderr, usage)
		return 2
	}
	switch command := args[0]; command {
	case "serve":
		return serve.Main("hailmark serve", args[1:])
	case "healthcheck", "licenses":
		return serve.Main("hailmark", args)
	case "version", "-version", "--version":
		return serve.Main("hailmark", []string{"-version"})
	case "help", "-h", "-help", "--help":
		fmt.Fprint(stdout, usage)
		return 0
	default:
		fmt.Fprintf(stderr, "hailmark: unknown command %q; hailmark help lists the commands\n", command)
		return 2
	}
}
