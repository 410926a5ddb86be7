// Package repotest tests the rules of this repository.
package repotest
