package httpapi

import (
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"
)

func TestNotice(t *testing.T) {
	for _, s := range []string{usernameNotice, "As of 2026-11-21", "As of 2027-01-31, all is well: ü."} {
		require.NoError(t, checkNotice(s), s)
	}
	for _, s := range []string{
		"", "All is well.", "as of 2026-11-21, x", "As of today", "As of 2026-13-01, x", "As of 2026-00-01, x", "As of 2026-01-32, x",
		"As of 2026-01-00, x", "As of 2026-02-30, x", "As of 2026-1-1, x", "As of 2026-11-211", "As of 2026/11/21, x", " As of 2026-11-21", "As of 2026-11-21\nx", "As of 2026-11-21 \xff",
	} {
		require.Error(t, checkNotice(s), s)
	}
}

func FuzzNotice(f *testing.F) {
	for _, s := range []string{usernameNotice, "As of 2026-13-01, x", "As of 2026-11-21"} {
		f.Add(s)
	}
	notice := regexp.MustCompile(`\AAs of [0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])([^0-9]|\z)`)
	f.Fuzz(func(t *testing.T, s string) {
		if len(s) >= len("As of 2026-11-21") {
			if _, err := time.Parse("As of 2006-01-02", s[:len("As of 2026-11-21")]); err != nil {
				require.Error(t, checkNotice(s))
				return
			}
		}
		want := notice.MatchString(s) && utf8.ValidString(s) && !strings.ContainsFunc(s, unicode.IsControl)
		require.Equal(t, want, checkNotice(s) == nil)
	})
}
