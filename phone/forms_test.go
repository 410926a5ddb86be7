package phone

import (
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Each row of the table is in the documents, with the same dates, source and forms.
func TestTwoFormsAreDocumented(t *testing.T) {
	page, facts := document(t, "numbers.md"), document(t, "platform-facts.md")
	rows := 0
	for _, line := range strings.Split(page, "\n") {
		cells := strings.Split(line, " | ")
		if !strings.HasPrefix(line, "| ") || len(cells) != 6 || strings.Contains(line, "---") || strings.Contains(line, "since") {
			continue
		}
		f := rowOf(t, strings.TrimPrefix(cells[0], "| "))
		rows++
		require.Equal(t, f.since, strings.Trim(cells[4], "–"), f.country)
		long, short := numberIn(t, cells[1]), numberIn(t, cells[2])
		require.Equal(t, f.country, long.CountryName())
		require.Equal(t, []Number{long, short}, long.Forms())
		require.Equal(t, []Number{short, long}, short.Forms())
		require.Equal(t, f.longer, long.Canonical() == long)
		require.Equal(t, f.longer, strings.HasPrefix(cells[5], "with them"))
	}
	require.Equal(t, len(twoForms), rows)
	for _, f := range twoForms {
		checked, err := time.Parse(time.DateOnly, f.checked)
		require.NoError(t, err)
		row := regexp.MustCompile(`(?m)^.*\b` + f.country + `\b.* ` + checked.Format(time.DateOnly) + ` .*\(` + regexp.QuoteMeta(f.source) + `\).*$`).FindString(facts)
		require.NotEmpty(t, row, "platform-facts.md lacks %s", f.country)
	}
}

func document(t *testing.T, name string) string {
	t.Helper()
	data, err := os.ReadFile("../docs/" + name)
	require.NoError(t, err)
	return string(data)
}

func rowOf(t *testing.T, country string) forms {
	t.Helper()
	for _, f := range twoForms {
		if f.country == country {
			return f
		}
	}
	require.Fail(t, "no such row", country)
	return forms{}
}

func numberIn(t *testing.T, cell string) Number {
	t.Helper()
	n, err := Parse("+" + strings.Trim(cell, "`"))
	require.NoError(t, err)
	return n
}

// Each rule's patterns match numbers of the right length, and no number matches two rules.
func TestTwoFormsAreUnambiguous(t *testing.T) {
	for _, f := range twoForms {
		for national := range 1000 {
			digits := f.code + strings.Repeat("0", 3-len(strconv.Itoa(national))) + strconv.Itoa(national) + "234567890"
			for size := len(f.code) + 8; size <= len(f.code)+11; size++ {
				n := Number{digits[:size]}
				matching := 0
				for _, r := range f.rules {
					if r.matches(n.digits) {
						matching++
					}
				}
				require.LessOrEqual(t, matching, 1, n)
				for _, form := range n.Forms() {
					require.True(t, n.Same(form), "%s %s", n, form)
					require.Equal(t, n.Canonical(), form.Canonical(), n)
					require.LessOrEqual(t, len(n.Forms()), 2)
				}
			}
		}
	}
}
