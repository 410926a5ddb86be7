// Command hailmark creates WhatsApp links and QR codes, validates usernames, phone numbers and
// BSUIDs, and reads webhooks. It can also run as an MCP server for AI assistants.
//
//	hailmark link jane.doe --text "Hi there!"
//	hailmark qr jane.doe -o jane.png
//	hailmark normalize webhook.json
//
// hailmark --help lists the commands. The HTTP server is the command server.
package main

import "os"

func main() {
	a := &app{stdin: os.Stdin, stdout: os.Stdout, stderr: os.Stderr, getenv: os.Getenv, isTerminal: isTerminal}
	os.Exit(a.run(os.Args[1:]))
}
