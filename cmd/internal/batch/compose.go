//go:build !wasip1

package batch

import "golang.org/x/text/unicode/norm"

// compose returns s in Unicode normalization form C.
func compose(s string) string { return norm.NFC.String(s) }
