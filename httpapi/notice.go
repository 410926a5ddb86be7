package httpapi

import (
	"errors"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"
)

// usernameNotice describes where username links work, as of its date.
const usernameNotice = "As of 2026-11-21, WhatsApp is rolling out usernames region by region. " + // change the date with the claims
	"The address of a username link already resolves, but it may not open a chat for accounts or countries without usernames; " +
	"in India they were on hold when last checked. Links with a phone number work for everyone."

// checkNotice returns an error unless a [Config]'s Notice begins with a date, as in "As of 2026-11-21, …",
// and is valid UTF-8 without control characters.
func checkNotice(s string) error {
	date, ok := strings.CutPrefix(s, "As of ")
	if !ok || !beginsWithDate(date) {
		return errors.New(`notice doesn't begin with "As of " and a date, as in "As of 2026-11-21, …"`)
	}
	if !utf8.ValidString(s) || strings.ContainsFunc(s, unicode.IsControl) {
		return errors.New("notice isn't valid UTF-8 without control characters")
	}
	return nil
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
