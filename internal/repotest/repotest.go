// Package repotest tests this repository's rules: imports, exported names, documents and examples.
package repotest
