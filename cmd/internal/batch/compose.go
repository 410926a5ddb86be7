//go:build !wasip1

package batch

import "golang.org/x/text/unicode/norm"

// compose returns a text in the normal form C of Unicode.
func compose(s string) string { return norm.NFC.String(s) }
