package httpapi

import (
	"strings"

	"github.com/hailmark/hailmark/problem"
	"github.com/hailmark/hailmark/qrcode"
)

// The limits of the parameter size. The library draws larger pictures.
const (
	minQRSize = qrcode.MinSize
	maxQRSize = 1024
)

// parseSize reads a size in decimal digits: no sign, no space, no fraction. Its error has
// [qrcode.CodeInvalidSize].
func parseSize(s string) (int, error) {
	size := 0
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, sizeProblem()
		}
		size = min(size*10+int(s[i]-'0'), maxQRSize+1) // no overflow, however long s is
	}
	if size < minQRSize || size > maxQRSize {
		return 0, sizeProblem()
	}
	return size, nil
}

func sizeProblem() problem.Problem {
	return problem.New(qrcode.CodeInvalidSize, "size must be a whole number of pixels from %d to %d", minQRSize, maxQRSize)
}

// qrWarning returns the value of the header X-QR-Warning: the codes of the warnings, with
// hyphens, or "".
func qrWarning(opts qrcode.Options) string {
	var words []string
	for _, code := range qrcode.Warnings(opts).Codes() {
		words = append(words, strings.ReplaceAll(string(code), "_", "-"))
	}
	return strings.Join(words, ", ")
}
