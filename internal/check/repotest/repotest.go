// Package repotest tests this repository's imports, exported names, documents and examples.
package repotest
