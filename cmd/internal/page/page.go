// Package page contains the Hailmark server's page, which runs the library as WebAssembly in
// a worker and doesn't send any input. The page is served at / and its assets below /-/, because usernames
// can't contain a hyphen.
//
// cmd/wasm/build creates the folder built, which contains the bundled scripts, core.wasm for the first code,
// and page.wasm for everything else. The page indicates its state for tests. For example,
// html[data-ready] follows its first requests, html[data-engine] is module or none,
// html[data-busy] is present while the worker computes, and the user timing first-code
// specifies when the module drew a code.
package page

// securityPolicy is the page's Content-Security-Policy.
const securityPolicy = "default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; " +
	"worker-src 'self'; img-src 'self' data:; connect-src 'self'; form-action 'none'; base-uri 'none'; " +
	"frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types worker"

// securityHeader is included in every response.
var securityHeader = map[string]string{
	"Content-Security-Policy":      securityPolicy,
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
	"Permissions-Policy":           "camera=(), geolocation=(), microphone=()",
	"Referrer-Policy":              "no-referrer",
	"X-Content-Type-Options":       "nosniff",
	"X-Frame-Options":              "DENY",
}

// NoModule describes a program without the scripts and the modules, and should be logged.
const NoModule = "this program was built from sources without its scripts; install a release, or run cmd/wasm/build in the sources and build the program again"

// HasModule reports whether the script and the modules were built before this program.
func HasModule() bool {
	_, err := files.Open("built/" + scriptFile + compressed)
	return err == nil
}
