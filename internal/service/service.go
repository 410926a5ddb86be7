// Package service contains what the HTTP API, the server, the command-line tool and the
// WebAssembly module share and no program needs from a library: the configuration of links
// and the codes of one route.
package service
