package phone

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/problem"
)

// endings are what spreadsheets, address books and people write after a number. None of them is a
// digit of it.
var endings = []string{
	".0", ".00", ".000000", "．0", ",0", ",00", " (1)", " (2)", "(2)", " (12)", " （2）", " [1]", " {2}", " <3>", " (12:30)", "E+11", "E11", "e+11",
	" ext 5", " ext. 12", " extension 5", ";ext=5", " x12", "x5", ",,5", ";5", "#5", " # 5", "*5", "/2", "/23", " / 2", "/346", " | 2", " & 5", " ~ 99",
	"·2", "²", " ②", " 2\ufe0f\u20e3", " \u0662", " Nr. 2", "\t2", "\n2", "\r\n2",
}

// A sample is a possible number of the numbering table.
type sample struct {
	Number
	code, national string
	countries      []string
}

// samples returns possible numbers of every country: for each plan, numbers of random cells.
func samples(rng *rand.Rand, each int) []sample {
	var list []sample
	for code, t := range plans {
		p := newPlan(code, t)
		var countries []string
		regions := table(p.regions)
		for range regions.byte() {
			if r := regions.region(); r.id != "ZZ" {
				countries = append(countries, r.id)
			}
		}
		for found := 0; found < each; {
			digits := make([]byte, 4+rng.IntN(maxDigits-3-len(code)))
			for i := range digits {
				digits[i] = byte('0' + rng.IntN(10))
			}
			if n := (Number{code + string(digits)}); p.possible(string(digits)) && hasLength(n.digits) {
				list = append(list, sample{n, code, string(digits), countries})
				found++
			}
		}
	}
	return list
}

// spellings returns the number as people write it, with its country code and then without it.
func (s sample) spellings(rng *rand.Rand) (international, national []string) {
	cut := 1 + rng.IntN(len(s.national)-1)
	a, b := s.national[:cut], s.national[cut:]
	groups := func(separator string) string {
		var text strings.Builder
		for i, c := range s.national {
			if i > 0 && i%2 == 0 {
				text.WriteString(separator)
			}
			text.WriteRune(c)
		}
		return text.String()
	}
	national = []string{
		s.national, "0" + s.national, a + " " + b, "0" + a + "/" + b, "(" + a + ") " + b, a + "-" + b, a + "." + b, groups(" "), groups("."), groups("/"),
	}
	for _, text := range national {
		if !strings.HasPrefix(text, "0") || s.national[0] == '0' {
			international = append(international, "+"+s.code+" "+text, "00"+s.code+text, "+"+s.code+"."+text, "+"+s.code+"/"+text, s.code+text)
		}
	}
	return append(international, s.E164(), s.digits), national
}

// No ending adds a digit to a number: a possible number with an ending is an error, or the number itself,
// in every spelling, for every function and every country.
func TestNoDigitIsInvented(t *testing.T) {
	rng := rand.New(rand.NewPCG(44, 1))
	for _, s := range samples(rng, 1) {
		checkEndings(t, rng, s)
	}
}

func checkEndings(t *testing.T, rng *rand.Rand, s sample) {
	t.Helper()
	international, national := s.spellings(rng)
	some := func(texts []string) []string {
		rng.Shuffle(len(texts), func(i, j int) { texts[i], texts[j] = texts[j], texts[i] })
		return texts[:min(len(texts), 8)]
	}
	for name, parse := range map[string]func(string) (Number, error){
		"Parse": Parse, "ParseDigits": ParseDigits,
		"Inspect": func(s string) (Number, error) { n, _, err := Inspect(s); return n, err },
	} {
		for _, text := range some(international) {
			checkEnding(t, name, parse, text, rng)
		}
	}
	for _, country := range s.countries {
		parse := func(text string) (Number, error) { return ParseIn(text, country) }
		for _, text := range some(append(international, national...)) {
			checkEnding(t, "ParseIn "+country, parse, text, rng)
		}
	}
}

func checkEnding(t *testing.T, name string, parse func(string) (Number, error), text string, rng *rand.Rand) {
	t.Helper()
	want, err := parse(text)
	if err != nil || len(want.Warnings()) > 0 {
		return // not a possible number
	}
	around := []string{"", " ", "'", "\u200e", "\u00a0"}
	for range 2 {
		ending := endings[rng.IntN(len(endings))] + around[rng.IntN(len(around))]
		got, err := parse(text + ending)
		if err == nil {
			require.Equal(t, want, got, "%s %q + %q", name, text, ending)
		}
		for _, p := range suggestionsOf(err) {
			require.Equal(t, want.E164(), p, "%s %q + %q: %v", name, text, ending, err)
		}
	}
}

func FuzzNoDigitIsInvented(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		rng := rand.New(rand.NewPCG(a, b))
		list := samples(rng, 1)
		for range 10 {
			checkEndings(t, rng, list[rng.IntN(len(list))])
		}
	})
}

// suggestionsOf returns what an error suggests.
func suggestionsOf(err error) []string {
	var values []string
	for _, p := range problem.All(err) {
		values = append(values, p.Suggestions.All()...)
	}
	return values
}

// zeros are the digits zero of some scripts: Arabic-Indic, Persian, Devanagari, Bengali, Thai, full-width,
// Adlam and bold mathematical ones.
var zeros = []rune{'٠', '۰', '०', '০', '๐', '０', 0x1e950, 0x1d7ce}

// FuzzSpellings: in every country, a number means the same in the digits of another script and with
// invisible characters, two scripts in one number are an error, and a number with separators needs a plus.
func FuzzSpellings(f *testing.F) {
	f.Add(uint64(1), uint64(2))
	f.Fuzz(func(t *testing.T, a, b uint64) {
		rng := rand.New(rand.NewPCG(a, b))
		for _, s := range samples(rng, 1) {
			zero := zeros[rng.IntN(len(zeros))]
			international, national := s.spellings(rng)
			text := international[rng.IntN(len(international))]
			checkScripts(t, text, zero, rng, Parse)
			checkScripts(t, text, zero, rng, ParseDigits)
			for _, country := range s.countries {
				text := national[rng.IntN(len(national))]
				checkScripts(t, text, zero, rng, func(text string) (Number, error) { return ParseIn(text, country) })
			}

			var n Number
			written := s.code + " " + s.national
			require.ErrorIs(t, n.UnmarshalText([]byte(written)), CodeMissingPlus, written)
			_, err := Parse(written)
			require.ErrorIs(t, err, CodeMissingPlus, written)
			require.NoError(t, n.UnmarshalText([]byte(s.digits)))
			require.Equal(t, s.Number, n)
		}
	})
}

func checkScripts(t *testing.T, text string, zero rune, rng *rand.Rand, parse func(string) (Number, error)) {
	t.Helper()
	want, wantErr := parse(text)
	invisible := []string{"", "", "", "\u200d", "\u200e", "\ufe0f", "\u00ad", "\u2060", "\U000e0020"}
	var foreign, mixed strings.Builder
	for i, c := range text {
		inserted := invisible[rng.IntN(len(invisible))]
		if '0' <= c && c <= '9' {
			c += zero - '0'
		}
		foreign.WriteString(inserted + string(c))
		if i == len(text)-1 {
			c = '0' + c - zero
		}
		mixed.WriteRune(c)
	}
	got, err := parse(foreign.String())
	require.Equal(t, want, got, "%q as %q: %v", text, foreign.String(), err)
	require.Equal(t, problem.All(wantErr).Codes(), problem.All(err).Codes(), "%q as %q", text, foreign.String())
	_, err = parse(mixed.String())
	require.ErrorContains(t, err, "digits of several scripts", "%q", mixed.String())
}
