package chatlink_test

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/chatlink"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// A writer writes numbers and what people write around them.
type writer struct {
	*rand.Rand
	country string // whose people set it as theirs
}

func (w writer) pick(list ...string) string { return list[w.IntN(len(list))] }

// number returns a possible number.
func (w writer) number() phone.Number {
	for {
		digits := fmt.Sprint(1 + w.IntN(998))
		for range 6 + w.IntN(6) {
			digits += fmt.Sprint(w.IntN(10))
		}
		if n, err := phone.Parse("+" + digits); err == nil && len(n.Warnings()) == 0 {
			return n
		}
	}
}

// write returns a number in groups of two or more digits.
func (w writer) write(n phone.Number) string {
	code, national := n.CallingCode(), strings.TrimPrefix(n.String(), n.CallingCode())
	plus := "+"
	if w.IntN(4) == 0 && slices.Contains([]string{"", "DE", "DK", "FR", "IT"}, w.country) { // elsewhere, 00 can begin another prefix
		plus = "00"
	}
	if w.IntN(3) == 0 {
		return plus + n.String()
	}
	separator := w.pick(" ", " ", "-", ".", "\u00a0", " - ", "‑")
	var groups []string
	for len(national) > 3 {
		size := 2 + w.IntN(min(3, len(national)-3))
		groups, national = append(groups, national[:size]), national[size:]
	}
	groups = append(groups, national)
	if len(groups) > 1 && w.IntN(4) == 0 && groups[0] != "0" {
		groups[0] = "(" + groups[0] + ")"
	}
	return plus + code + w.pick(" ", " ", "-") + strings.Join(groups, separator)
}

func (w writer) name() string {
	return w.pick("Max", "Jane Doe", "Zoë 😀", "José María", "أحمد", "Shop 24", "Müller & Söhne", "~ mia", "O'Neil", "李雷")
}

func (w writer) words() string {
	return w.pick("Hallo", "call me", "hi, are you open today?", "ruf mich an", "my number is", "WhatsApp:", "neue Nummer =", "tel", "это мой номер", "अब कॉल करें", "→", "*Mobil*", "(privat)")
}

func (w writer) time() string { return fmt.Sprintf("%02d:%02d", w.IntN(24), w.IntN(60)) }

func (w writer) date() string {
	d, m, y := 1+w.IntN(28), 1+w.IntN(12), 2015+w.IntN(12)
	return w.pick(fmt.Sprintf("%02d.%02d.%02d", d, m, y%100), fmt.Sprintf("%d/%d/%02d", m, d, y%100), fmt.Sprintf("%04d-%02d-%02d", y, m, d), fmt.Sprintf("%02d/%02d/%d", d, m, y))
}

// embed returns a text with the number n.
func (w writer) embed(n phone.Number) string {
	s, digits := w.write(n), n.String()
	switch w.IntN(16) {
	case 0:
		return fmt.Sprintf("[%s, %s:%02d] %s: %s", w.date(), w.time(), w.IntN(60), w.name(), s)
	case 1:
		return fmt.Sprintf("%s, %s - %s: %s %s%s", w.date(), w.time(), w.name(), w.words(), s, w.pick("", ".", "!", " :)", ", "+w.words()))
	case 2:
		return fmt.Sprintf("[%s, %s] %s: %s", w.date(), w.time(), s, w.words())
	case 3:
		return fmt.Sprintf("BEGIN:VCARD\r\nVERSION:3.0\r\nN:%s;;;\r\nFN:%[1]s\r\n%s:%s\r\nREV:%d0312T101503Z\r\nEND:VCARD",
			w.name(), w.pick("TEL", "TEL;TYPE=CELL", "item1.TEL;waid="+digits, "TEL;TYPE=\"voice,home\""), s, 2015+w.IntN(10))
	case 4:
		return fmt.Sprintf("%s\n%s %d, %05d %s\n%s %s\n%s", w.name(), w.pick("Hauptstr.", "Main St", "Rue de la Paix"), 1+w.IntN(99), w.IntN(100000), w.pick("Berlin", "Springfield"),
			w.pick("Tel", "Mobil:", "M", "Phone:", "T."), s, w.pick("max@example.com", "www.example.com", "https://example.com/17112345678", ""))
	case 5:
		return w.pick("tel:", "TEL:", "sms:", "smsto:", "callto:", "tel://") + "+" + digits + w.pick("", "?body=Hi%20there", ";ext=5")
	case 6:
		return fmt.Sprintf(`<a href="%s+%s">%s</a>`, w.pick("tel:", "sms:"), digits, w.words())
	case 7:
		open, end := "<", ">"
		if w.IntN(2) == 0 {
			open, end = `"`, `"`
		}
		return open + w.pick("https://wa.me/", "wa.me/", "https://api.whatsapp.com/send?phone=", "http://web.whatsapp.com/send/?phone=") + digits + end
	case 8:
		return w.words() + " https://wa.me/" + digits + w.pick("", ".", "!", " "+w.words())
	case 9:
		return w.pick("intent://send/"+digits+"#Intent;scheme=smsto;package=com.whatsapp;action=android.intent.action.SENDTO;end",
			"intent://send?phone="+digits+"#Intent;scheme=whatsapp;package=com.whatsapp;end", "intent://wa.me/"+digits+"#Intent;scheme=https;package=com.whatsapp;end")
	case 10:
		return w.pick("whatsapp://send?phone=", "whatsapp://send/?phone=+", "whatsapp-consumer://send?phone=") + digits
	case 11:
		return fmt.Sprintf("%s <%s>", w.name(), s)
	case 12:
		return fmt.Sprintf("%s (%s)", w.name(), s)
	case 13:
		separator := w.pick(";", "\t", `","`, " | ")
		return strings.Join([]string{w.name(), s, "10115", "Berlin"}, separator)
	case 14:
		return fmt.Sprintf("%s %s %s", w.words(), s, w.pick("um "+w.time(), "@ "+w.time(), "bis "+w.date(), "\n"+w.date()))
	default:
		return "\u2068" + s + "\u2069" + w.pick("", " "+w.words())
	}
}

// A number in a text is found, and nothing else, whatever country is set.
func TestSuggestEmbeddedNumber(t *testing.T) {
	w := writer{rand.New(rand.NewPCG(44, 3)), ""}
	for range 10_000 {
		w.country = w.pick("", "", "DE", "US", "DK", "IT", "BR", "IN", "ID", "FR", "SG", "KE")
		n := w.number()
		text := w.embed(n)
		require.Equal(t, []string{n.E164()}, suggested(text, w.country), "%q in %q", text, w.country)
	}
}

// digitText matches digits in groups as somebody wrote them.
var digitText = regexp.MustCompile(`\p{Nd}[\p{Nd}\p{Zs}\p{Cf}\p{Pd}\x{FE00}-\x{FE0F}()（）.．/−,;:\[\]·|_~'’x*#]*`)

// Nothing that Suggest returns is invented: its digits or letters follow each other in the text.
func FuzzSuggest(f *testing.F) {
	for line := range strings.Lines(suggestTexts) {
		parts := strings.SplitN(strings.TrimSuffix(line, "\n"), " | ", 3)
		if len(parts) == 3 {
			f.Add(strings.NewReplacer(`\n`, "\n", `\t`, "\t").Replace(parts[2]), strings.Trim(parts[0], "-"))
		}
	}
	w := writer{rand.New(rand.NewPCG(44, 4)), ""}
	for range 200 {
		f.Add(w.embed(w.number())+w.pick("", " ", "1", ".0", "x")+w.embed(w.number()), w.pick("", "DE", "US", "BR"))
	}
	f.Fuzz(func(t *testing.T, text, country string) {
		targets := chatlink.Suggest(text, country)
		require.LessOrEqual(t, len(targets), problem.MaxSuggestions)
		digits := strings.Map(func(r rune) rune {
			if unicode.Is(unicode.Nd, r) {
				return r
			}
			return -1
		}, text)
		for i, target := range targets {
			require.NotContains(t, targets[:i], target)
			again, err := chatlink.ParseTarget(target.String())
			require.NoError(t, err)
			require.Equal(t, target, again, "it can replace the text")
			isLink := strings.Contains(text, "/")
			switch target.Kind() {
			case chatlink.KindUsername:
				if isLink {
					continue
				}
				require.Less(t, len(digits), 6, "%q", text)
				require.NotRegexp(t, `\+\p{Nd}`, text)
				requireLetters(t, text, target.Username().String())
			case chatlink.KindPhone:
				if isLink || strings.Contains(text, "%") {
					continue
				}
				require.Empty(t, target.Phone().Warnings())
				if whole, err := phone.ParseIn(text, country); err == nil && whole == target.Phone() {
					continue // the text is a number by the rules of package phone, which reads 100!100 as one
				}
				requireDigits(t, text, target.Phone())
			case chatlink.KindPicker, chatlink.KindMessage, chatlink.KindQR, chatlink.KindCatalog, chatlink.KindProduct, chatlink.KindGroup, chatlink.KindChannel:
				require.True(t, isLink, "%q", text)
			}
		}
	})
}

// requireLetters fails unless the name is in the text without what may be left out.
func requireLetters(t *testing.T, text, name string) {
	t.Helper()
	bare := strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.In(r, unicode.Cf, unicode.Mn) {
			return -1
		}
		return unicode.ToLower(r)
	}, text)
	pattern := regexp.MustCompile(`(^|[^\p{L}\p{Nd}_])` + strings.NewReplacer(".", `\.`).Replace(regexp.MustCompile(`[a-z]`).ReplaceAllString(name, `\p{L}`)) + `\.*($|[^\p{L}\p{Nd}_])`)
	require.True(t, pattern.MatchString(bare) || pattern.MatchString(strings.ToLower(text)), "%q: %s", text, name)
}

// requireDigits fails unless the number's last seven digits follow each other in the text, at the end of
// digits that separators divide, or at the end of the groups before another word.
func requireDigits(t *testing.T, text string, n phone.Number) {
	t.Helper()
	national := strings.TrimPrefix(n.String(), n.CallingCode())
	tail := national[max(0, len(national)-7):]
	for _, run := range digitText.FindAllString(text, -1) {
		for i := range run { // the digits are those of the tail from here to the end of a group
			rest := tail
			for j, r := range run[i:] {
				value, isDigit := valueOf(r)
				switch {
				case !isDigit && rest == "":
					return
				case isDigit && rest == "", isDigit && rest[0] != value:
					rest = "no"
				case isDigit:
					rest = rest[1:]
				}
				if rest == "no" {
					break
				}
				if rest == "" && i+j+utf8.RuneLen(r) == len(run) {
					return
				}
			}
		}
	}
	require.Fail(t, "invented", "%q: %s", text, n)
}

func valueOf(r rune) (digit byte, ok bool) {
	for value := range rune(10) {
		if unicode.Is(unicode.Nd, r) && !unicode.Is(unicode.Nd, r-value-1) {
			return '0' + byte(value), true
		}
	}
	return '0', unicode.Is(unicode.Nd, r)
}

// The time is linear in the length of a text, which attackers choose.
func BenchmarkSuggestHostile(b *testing.B) {
	for _, part := range []string{"1 ", "a-", "a.", "a+", "+1 ", "(0)", "@a", "tel:%", "tel:1 ", "a://", "1x", "12 (", "+49 171 1234567 ", "\u200b+", "w.a/ ", "0171 1 a ", "aa", "1-1/"} {
		text := strings.Repeat(part, 32<<10/len(part))
		b.Run(part, func(b *testing.B) {
			for b.Loop() {
				chatlink.Suggest(text, "DE")
			}
		})
	}
}
