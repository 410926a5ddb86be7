// Package e2e tests the library and the service with other projects' decoders, validators,
// linters and client generators, and checks the library's dependencies.
//
// It's a separate module, so that the library doesn't depend on these tools. A test is
// skipped if it requires a missing program, or fails with HAILMARK_REQUIRE_TOOLS=1. These
// commands install everything:
//
//	apt-get install zbar-tools librsvg2-bin nodejs npm python3
//	npm ci --prefix internal/check/harness/e2e
package e2e
