// Package service contains the rules shared by the HTTP API, the server, the command-line tool
// and the WebAssembly module. Other programs don't need them.
package service
