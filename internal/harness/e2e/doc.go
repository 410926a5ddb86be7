// Package e2e tests the library and the service with decoders, validators, linters and
// client generators of other projects, and tests what a program that imports the library
// depends on.
//
// It is a module of its own, so that the module that people import does not depend on
// these tools. Tests that need a program that is not installed are skipped with a line
// that names it. With HAILMARK_REQUIRE_TOOLS=1 they fail instead. These commands install
// all of them:
//
//	apt-get install zbar-tools librsvg2-bin nodejs npm python3
//	npm ci --prefix internal/harness/e2e
package e2e
