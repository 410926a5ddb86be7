// Package service contains the rules shared by the HTTP API, the server, the command-line tool
// and the WebAssembly module. Other programs don't need them.
package service

// The default limits of requests per minute and client.
const (
	JSONLimit = 60
	QRLimit   = 20
)
