// Package service implements what the HTTP API, the server, the command-line tool and the
// WebAssembly module share but a library doesn't need.
package service
