package chatlink

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/internal/textvalue"
)

// DefaultNotice is the text of a zero [Notice]. Its date and its claims were checked
// together and change only together.
const DefaultNotice = "As of 2026-11-21, WhatsApp is rolling out usernames region by region. " +
	"The address of a username link already resolves, but it may not open a chat for accounts or countries without usernames; " +
	"in India they were on hold when last checked. Links with a phone number work for everyone."

// A Notice describes the status of username links as of a date. The zero Notice is
// [DefaultNotice].
type Notice struct {
	text string
}

// ParseNotice reads a notice, which must begin with "As of " and a date in the form
// YYYY-MM-DD, as in "As of 2026-11-21, …". It must be valid UTF-8 without control
// characters. The date and the claim are one string, so that they change together.
func ParseNotice(s string) (Notice, error) {
	date, ok := strings.CutPrefix(s, "As of ")
	if !ok || !beginsWithDate(date) {
		return Notice{}, errors.New(`notice must begin with "As of " and a date, as in "As of 2026-11-21, …"`)
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return Notice{}, errors.New("notice must be valid UTF-8 without control characters")
	}
	if s == DefaultNotice {
		return Notice{}, nil // equal notices compare equal
	}
	return Notice{s}, nil
}

// beginsWithDate reports whether s begins with YYYY-MM-DD and no further digit.
func beginsWithDate(s string) bool {
	n := len(time.DateOnly)
	if len(s) < n {
		return false
	}
	_, err := time.Parse(time.DateOnly, s[:n])
	return err == nil && (len(s) == n || s[n] < '0' || s[n] > '9')
}

// String returns the notice.
func (n Notice) String() string {
	if n.text == "" {
		return DefaultNotice
	}
	return n.text
}

// AppendText implements [encoding.TextAppender].
func (n Notice) AppendText(dst []byte) ([]byte, error) { return append(dst, n.String()...), nil }

// MarshalText implements [encoding.TextMarshaler].
func (n Notice) MarshalText() ([]byte, error) { return []byte(n.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler]. Empty text is the zero Notice;
// all other text is read by [ParseNotice].
func (n *Notice) UnmarshalText(text []byte) error { return textvalue.Unmarshal(n, text, ParseNotice) }
