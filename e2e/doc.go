// Package e2e holds the tests that judge the library and the service from the
// outside: by decoders, validators, linters and code generators that others wrote,
// and by what a program that imports the library gets with it.
//
// It is a module of its own so that none of these reaches the module that people
// import. Programs that are no Go packages are looked for, and where one is missing
// its tests are skipped with a line that names it. With HAILMARK_REQUIRE_TOOLS=1
// they fail instead. This gets all of them:
//
//	apt-get install zbar-tools librsvg2-bin nodejs npm
//	npm ci --prefix e2e
package e2e
