package ndjson

import "unicode/utf8"

// AppendString appends s as a JSON string, like encoding/json without HTML escapes. Invalid
// UTF-8 becomes U+FFFD. With encoding/json itself, the WebAssembly module would be a twentieth larger.
func AppendString(dst []byte, s string) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '"')
	for _, c := range s {
		switch {
		case c == '"' || c == '\\':
			dst = append(dst, '\\', byte(c))
		case c == '\b':
			dst = append(dst, `\b`...)
		case c == '\f':
			dst = append(dst, `\f`...)
		case c == '\n':
			dst = append(dst, `\n`...)
		case c == '\r':
			dst = append(dst, `\r`...)
		case c == '\t':
			dst = append(dst, `\t`...)
		case c < ' ':
			dst = append(dst, '\\', 'u', '0', '0', digits[c>>4], digits[c&0xF])
		case c == '\u2028' || c == '\u2029': // line ends in old JavaScript
			dst = append(dst, '\\', 'u', '2', '0', '2', digits[c&0xF])
		default:
			dst = utf8.AppendRune(dst, c)
		}
	}
	return append(dst, '"')
}
