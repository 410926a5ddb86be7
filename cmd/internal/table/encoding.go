package table

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// sampleSize is the number of bytes used to detect encoding and separator.
const sampleSize = 64 << 10

// Supported encodings.
const (
	utf8Name    = "utf-8"
	utf16Name   = "utf-16"
	windowsName = "windows-1252"
)

// Encodings returns the supported encodings.
func Encodings() []string { return []string{utf8Name, utf16Name, windowsName} }

// decode converts the input to UTF-8 and drops the byte order mark. To detect UTF-16 without
// one, it looks for the zero bytes in ASCII characters. Otherwise, input is Windows-1252 if it
// contains more invalid bytes than characters beyond ASCII in UTF-8.
func decode(r *bufio.Reader, encoding string) (io.Reader, rune, error) {
	sample, _ := r.Peek(sampleSize)                    // the next read returns the error
	if bytes.HasPrefix(sample, []byte("PK\x03\x04")) { // ZIP
		return nil, 0, errors.New("the table is an Excel or OpenDocument workbook; save it as CSV")
	}
	if encoding == "" {
		encoding = recognize(sample)
	}
	var text io.Reader
	switch strings.ToLower(encoding) {
	case utf8Name:
		if bytes.HasPrefix(sample, []byte("\xEF\xBB\xBF")) {
			_, _ = r.Discard(3)
		}
		text = r
	case utf16Name:
		endian := unicode.LittleEndian
		if len(sample) > 0 && sample[0] == 0 { // a byte order mark overrides it
			endian = unicode.BigEndian
		}
		text = unicode.UTF16(endian, unicode.UseBOM).NewDecoder().Reader(r)
	case windowsName:
		text = charmap.Windows1252.NewDecoder().Reader(r)
	default:
		return nil, 0, fmt.Errorf("unknown encoding %.40q; known are %s", encoding, strings.Join(Encodings(), ", "))
	}
	decoded := bufio.NewReaderSize(text, sampleSize)
	head, _ := decoded.Peek(sampleSize / 2)
	separator := separatorOf(decoded, head)
	if endsRowsWithCR(head) {
		return crReader{decoded}, separator, nil
	}
	return decoded, separator, nil
}

// endsRowsWithCR reports whether the first row ends with CR alone. Quoted cells may contain
// any line end.
func endsRowsWithCR(head []byte) bool {
	quoted := false
	for i, c := range head {
		switch {
		case c == '"':
			quoted = !quoted
		case c == '\n' && !quoted:
			return false
		case c == '\r' && !quoted:
			return !bytes.HasPrefix(bytes.TrimLeft(head[i:], "\r"), []byte("\n"))
		}
	}
	return false
}

// recognize detects the encoding.
func recognize(sample []byte) string {
	switch {
	case bytes.HasPrefix(sample, []byte("\xEF\xBB\xBF")):
		return utf8Name
	case bytes.HasPrefix(sample, []byte("\xFF\xFE")), bytes.HasPrefix(sample, []byte("\xFE\xFF")):
		return utf16Name
	case len(sample) >= 2 && (sample[0] == 0) != (sample[1] == 0):
		return utf16Name
	}
	valid := sample
	if len(sample) == sampleSize { // may end within a character
		for n := 0; n < utf8.UTFMax && !utf8.Valid(valid); n++ {
			valid = sample[:len(sample)-n]
		}
	}
	characters, broken := 0, 0 // beyond ASCII
	for len(valid) > 0 {
		r, n := utf8.DecodeRune(valid)
		switch {
		case r == utf8.RuneError && n == 1:
			broken++
		case n > 1:
			characters++
		}
		valid = valid[n:]
	}
	if broken <= characters {
		return utf8Name // a row with a broken character is reported
	}
	return windowsName
}

// separatorOf returns the most frequent comma, semicolon or tab in the first row. Excel's line
// "sep=;" before the first row overrides and skips detection.
func separatorOf(r *bufio.Reader, head []byte) rune {
	first, _, _ := bytes.Cut(head, []byte("\n"))
	if line := bytes.TrimSuffix(first, []byte("\r")); len(line) == len("sep=;") && bytes.HasPrefix(bytes.ToLower(line), []byte("sep=")) {
		_, _ = r.Discard(min(len(first)+1, len(head)))
		return rune(line[len("sep=")])
	}
	best, most := ',', 0
	for _, separator := range ",;\t" {
		count, quoted := 0, false
		for _, c := range head {
			if c == '"' {
				quoted = !quoted
			} else if (c == '\n' || c == '\r') && !quoted {
				break
			} else if rune(c) == separator && !quoted {
				count++
			}
		}
		if count > most {
			best, most = separator, count
		}
	}
	return best
}
