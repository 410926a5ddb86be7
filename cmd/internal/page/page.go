// Package page is the page of the Hailmark server: links, QR codes, tables and checks in
// a browser. The page runs the library as a WebAssembly module, and sends no entry to the
// server.
//
// The page is at the path / and its assets are below /-/, since a hyphen is in no username.
// All other paths belong to the API and its short links.
package page

// securityPolicy is the Content-Security-Policy of the page.
const securityPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"worker-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types worker"

// securityHeader is a part of the header of every response.
var securityHeader = map[string]string{
	"Content-Security-Policy":      securityPolicy,
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
}

// NoModule describes what a program without the WebAssembly module lacks.
const NoModule = "this program was built without the WebAssembly module; run cmd/wasm/build in the sources, and build the program again"

// HasModule reports whether the script and the modules were built before this program.
func HasModule() bool {
	_, err := files.Open("built/" + scriptFile + compressed)
	return err == nil
}
