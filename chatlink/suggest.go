package chatlink

import (
	"cmp"
	"net/url"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/hailmark/hailmark/bsuid"
	"github.com/hailmark/hailmark/busname"
	"github.com/hailmark/hailmark/phone"
	"github.com/hailmark/hailmark/problem"
)

// Suggest returns the targets that a text contains, at most three, the best first:
//
//	chatlink.Suggest("Max <+49 171 1234567>", "")          // +491711234567
//	chatlink.Suggest("Mobil 0171 1234567, Fax …", "DE")    // +491711234567
//	chatlink.Suggest(`"https://wa.me/jane.doe"`, "")       // @jane.doe
//
// Use it for text that [ParseTarget] rejects or warns about, such as a line of a chat, a vCard, a
// signature or a cell of a table, and let a person choose: none of the targets is certain. Show a
// number with its [phone.Number.CountryName]. The country is that of numbers without a plus, as in
// [ParseTargetIn]; with "" or an unknown one, only numbers with + or 00 are found. The errors of
// ParseTarget and ParseTargetIn contain the same targets as [problem.Suggestions].
//
// # What it finds
//
// A text that is a target by itself is the only suggestion. Otherwise the text is read once, from
// its beginning to its end, as these parts and what is between them:
//
//	link    = a run without space, quote and angle bracket that begins with scheme:// or host/
//	number  = [+] and digits in groups, on one line, with spaces, - . ( ) or / between them
//	name    = @ and letters, digits, periods and underscores
//	word    = letters and digits, or a mail address
//
// A link is suggested if [ParseLink] reads it; nothing inside another link is. A number is
// suggested if [phone.Parse] or, in a country, [phone.ParseIn] reads it and it's possible, and
// what these functions suggest in place of it is suggested, too. Digits without a plus and a
// country code that somebody left out are suggested only if they're all that the text contains,
// apart from a label, or follow tel:, sms: or smsto:. A name is suggested if [busname.ParseHandle]
// reads it. If there's none of these, a text of one or two words that is a username without its
// accents, capitals and white space is that username.
//
// # What it never does
//
// Nothing is invented. A number consists of a whole part of the text: digits that touch a letter,
// "@" or other digits, such as those of a date, a time, an IBAN or an amount, aren't one, and no
// digit of a part is dropped unless a word follows that it belongs to, as in "… 14 Uhr" and "… x5".
// If a text contains a plus with digits, or six digits in all, no username is suggested, because it
// could be made of a number; only a link to a username is.
//
// # The order
//
// Links come first, then numbers that are labeled WhatsApp, then those of mobile phones, then
// others and names as in the text, and fax numbers last. Digits that already begin with the
// country code are more likely a complete number than a national one.
func Suggest(text, country string) []Target {
	if phone.CheckCountry(country) != nil {
		country = ""
	}
	if len(text) > maxSuggestText {
		text = strings.ToValidUTF8(text[:maxSuggestText], "")
	}
	text = strings.TrimFunc(text, isBlank)
	if text == "" || bsuid.Is(text) {
		return nil
	}
	f := finder{text: text, country: country, isNumeric: isNumeric(text)}
	t, err := f.parse(text)
	if err == nil && len(t.Warnings()) == 0 && !isDate(text) && (t.Kind() != KindUsername || !f.isNumeric || isLink(text)) {
		return []Target{t}
	}
	f.scan()
	if len(f.found) == 0 {
		f.addUsername()
	}
	slices.SortStableFunc(f.found, func(a, b finding) int { return cmp.Compare(a.rank, b.rank) })
	var targets []Target
	for _, found := range f.found[:min(len(f.found), maxSuggestions)] {
		targets = append(targets, found.target)
	}
	return targets
}

const (
	maxSuggestions = problem.MaxSuggestions
	maxSuggestText = 32 << 10 // the length of the text that is read, in bytes: nobody pastes more to name one person

	maxWord = 320 // the length of a label, a host or a mail address, in bytes: RFC 3696 has 320 for the longest
	maxRun  = 100 // the length of digits in groups, in bytes, so that two numbers fit
)

// A finder reads a text. A position is an index of its bytes.
type finder struct {
	text, country string
	isNumeric     bool // a username could be made of a number

	found    []finding
	labelsAt int // where the label of the next number begins
}

type finding struct {
	target Target
	rank   int
}

// The ranks of findings, the best first. Numbers without a label of these and names are plain.
const (
	rankLink = iota
	rankWhatsApp
	rankMobile
	rankPlain
	rankFax
)

// labels are words in front of a number, in small letters. Those of other languages contain them.
var labels = []struct {
	rank  int
	words []string
}{
	{rankWhatsApp, []string{"whatsapp", "waid", "zap"}},
	{rankFax, []string{"fax"}},
	{rankMobile, []string{"mobil", "móvil", "movil", "cell", "celular", "handy", "gsm"}},
}

// parse is ParseTarget or ParseTargetIn without suggestions.
func (f *finder) parse(s string) (Target, error) {
	if f.country == "" {
		return parseTarget(s, inspectNumber)
	}
	return parseTarget(s, f.parseIn)
}

func (f *finder) parseIn(s string) (Target, error) { return parseNumberIn(s, f.country) }

func (f *finder) add(t Target, rank int) {
	if !slices.ContainsFunc(f.found, func(g finding) bool { return g.target == t }) {
		f.found = append(f.found, finding{t, rank})
	}
}

// scan reads the text from its beginning to its end. Each part begins where the one before ends.
func (f *finder) scan() {
	for i := 0; i < len(f.text); {
		r, size := utf8.DecodeRuneInString(f.text[i:])
		switch {
		case r == '@':
			i = f.name(i)
		case isDigit(r), isPlus(r) && isDigit(first(f.text[i+size:], isFormat)):
			i = f.number(i)
		case unicode.IsLetter(r):
			i = f.word(i)
		default:
			if r == '\n' {
				f.labelsAt = i
			}
			i += size
		}
	}
}

// word reads a link, a mail address or another word, and returns where it ends.
func (f *finder) word(i int) int {
	rest := f.text[i:]
	window := rest[:min(len(rest), maxWord)] // so that the time is linear
	host := span(window, func(r rune) bool { return isASCIILetter(r) || isDigit(r) || r == '.' || r == '-' || r == '+' })
	name := rest[:host]
	switch after := rest[host:]; {
	case strings.HasPrefix(after, ":") && isNumberScheme(name):
		return f.addressed(i, i+host+1)
	case strings.HasPrefix(after, "://"),
		after != "" && strings.ContainsRune("/?", rune(after[0])) && strings.Contains(strings.TrimSuffix(name, "."), "."):
		return f.link(i)
	}
	mail := span(window, func(r rune) bool { return isAlphanumericRune(r) || strings.ContainsRune(".+-_%", r) })
	if strings.HasPrefix(rest[mail:], "@") {
		return i + span(rest, isInToken)
	}
	end := span(rest, isAlphanumericRune)
	if strings.ContainsFunc(rest[:end], isDigit) && first(rest[end:], nil) == '+' { // the rest of 4.9E+11
		end++
		end += span(rest[end:], isAlphanumericRune)
	}
	return i + end
}

// isNumberScheme reports whether links of a scheme contain a phone number.
func isNumberScheme(s string) bool {
	return slices.Contains([]string{"tel", "sms", "smsto", "callto"}, strings.ToLower(s))
}

// addressed reads the number in a link such as tel:+49-171-1234567, which begins at start.
func (f *finder) addressed(i, start int) int {
	if strings.HasPrefix(f.text[start:], "//") {
		start += len("//")
	}
	end := start + span(f.text[start:min(len(f.text), start+maxWord)], isInToken)
	number := f.text[start:end]
	if j := strings.IndexAny(number, ";?,&"); j >= 0 {
		number = number[:j]
	}
	decoded, err := url.PathUnescape(number)
	continues := numberSpan("0"+f.text[end:]) > 1 // the groups after a space are part of it
	if err != nil || continues || !strings.Contains(number, "%") && !isDigitsOnly(number) || !f.addNumber(decoded, f.rank(i), true) {
		return start // number reads it
	}
	f.labelsAt = end
	return end
}

// link reads a link, and returns where it ends.
func (f *finder) link(i int) int {
	end := i + span(f.text[i:], isInToken)
	s := f.text[i:end]
	if end == len(f.text) || !strings.ContainsRune("\"'<>`", rune(f.text[end])) { // otherwise these say where it ends
		s = strings.TrimRight(s, ".,;:!?*")
		for strings.HasSuffix(s, ")") && strings.Count(s, ")") > strings.Count(s, "(") {
			s = strings.TrimRight(s[:len(s)-1], ".,;:!?*")
		}
	}
	if l, err := parseLink(strings.ReplaceAll(s, "&amp;", "&")); err == nil {
		f.add(Target{link: l}, rankLink)
	}
	f.labelsAt = end
	return end
}

// name reads a name after an "@", and returns where it ends.
func (f *finder) name(i int) int {
	rest := f.text[i+1:]
	end := span(rest, func(r rune) bool { return isAlphanumericRune(r) || r == '.' || r == '_' || unicode.Is(unicode.Mn, r) })
	next := first(rest[end:], nil)
	name := strings.TrimRight(rest[:end], ".")
	touches := isAlphanumericRune(f.before(i)) || strings.ContainsRune("._-+", f.before(i)) || strings.ContainsRune("@-+/", next)
	if end > 0 && !touches && !f.isNumeric {
		if u, err := busname.ParseHandle(withoutAccents(name)); err == nil {
			f.add(Target{link: Link{kind: KindUsername, username: u}}, rankPlain)
		}
	}
	return i + 1 + end
}

// number reads the digits that begin at i, and returns where they end.
func (f *finder) number(i int) int {
	rest := f.text[i:]
	end := numberSpan(rest)
	if end > maxRun {
		return i + end
	}
	run := strings.TrimRightFunc(rest[:end], func(r rune) bool { return !isDigit(r) && r != ')' })
	if strings.Count(run, ")") > strings.Count(run, "(") && strings.HasSuffix(run, ")") && f.before(i) != '(' {
		run = strings.TrimRightFunc(run, func(r rune) bool { return !isDigit(r) })
	}
	end = i + len(run)
	after := f.text[end:]
	before := f.before(i)
	if isPlus(first(rest, nil)) {
		if isDigit(before) {
			return end + span(after, isAlphanumericRune) // such as 1+49
		}
	} else if isAlphanumericRune(before) || strings.ContainsRune("#=/-_.@%\\$€£¥+", before) && !f.isLabelPeriod(i) {
		return end
	}
	if before == '(' && strings.HasPrefix(run, "0)") { // (0)171
		i--
		run = "(" + run
	}
	isExtension := false
	if label := span(after, func(r rune) bool { return r == ' ' || unicode.IsLetter(r) || r == '.' || r == ':' }); label > 0 {
		isExtension = extensionLabels[strings.ToLower(strings.Trim(after[:label], " .:"))] && isDigit(first(after[label:], nil))
	}
	if touchesNext(after) && !isExtension {
		j := strings.LastIndexFunc(run, unicode.IsSpace) // the last group belongs to what follows
		if isAlphanumericRune(first(after, nil)) || j < 0 {
			if j < 0 || strings.ContainsFunc(run[j:], func(r rune) bool { return !isDigit(r) && !unicode.IsSpace(r) }) {
				return end + span(after, isInToken)
			}
		}
		run = strings.TrimRightFunc(run[:j], func(r rune) bool { return !isDigit(r) && r != ')' })
	}
	rank := f.rank(i)
	f.labelsAt = end
	if j := strings.LastIndexFunc(run, unicode.IsSpace); j > 0 && j == len(run)-2 && startsWithWord(after) && f.addNumber(run[:j], rank, false) {
		return end // a single digit before a word belongs to it
	}
	isAlone := i <= maxWord && f.isLabelOnly(f.text[:i]) && (isExtension || strings.TrimFunc(after, isAroundNumber) == "")
	if !f.addNumber(run, rank, isAlone) && !f.addPrefix(run, after, rank) && !isPlus(first(rest, nil)) {
		if next := nextNumber(run); next > 0 {
			return i + next
		}
	}
	if next := strings.TrimLeft(after, "?&"); len(next) < len(after) && isASCIILetter(first(next, nil)) {
		return end + span(after, isInToken) // ?body=…
	}
	return end
}

var extensionLabels = map[string]bool{"x": true, "ext": true, "extension": true}

// isLabelPeriod reports whether digits follow a label that ends with a period, as in Tel.0171.
func (f *finder) isLabelPeriod(i int) bool {
	return strings.HasSuffix(f.text[:i], ".") && unicode.IsLetter(f.before(i-1))
}

// isLabelOnly reports whether s is empty, or a label in front of a number.
func (f *finder) isLabelOnly(s string) bool {
	s = strings.TrimFunc(s, isAroundNumber)
	return !strings.ContainsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && r != ' ' && r != '.' && r != ':' })
}

// addNumber adds the number that s is, or what package phone suggests in place of it, and reports
// whether there is one. Only a number alone may lack its plus.
func (f *finder) addNumber(s string, rank int, isAlone bool) bool {
	parse := phone.Parse
	isPlain := isPlus(first(s, func(r rune) bool { return !isPlus(r) && !isDigit(r) })) || f.country == ""
	if !isPlain {
		if isDate(s) || !isAlone && !f.isNational(s) {
			return false
		}
		parse = func(s string) (phone.Number, error) { return phone.ParseIn(s, f.country) }
	} else if isAlone && isDigitsOnly(s) {
		parse = phone.ParseDigits
	}
	n, err := parse(s)
	if err == nil {
		return f.addPhone(n, rank)
	}
	var numbers []phone.Number
	for _, p := range problem.All(err) {
		if p.Code == phone.CodeMissingPlus {
			continue // a country code is never assumed
		}
		for _, suggestion := range p.Suggestions.All() {
			if n, err := phone.Parse(suggestion); err == nil {
				numbers = append(numbers, n)
			}
		}
	}
	digits := digitsOf(s)
	if i := slices.IndexFunc(numbers, func(n phone.Number) bool { return n.String() == digits }); i > 0 {
		numbers[0], numbers[i] = numbers[i], numbers[0]
	}
	if len(numbers) == 0 && isAlone && !isPlain {
		if n, err := phone.ParseDigits(s); err == nil && n.String() == digits {
			numbers = append(numbers, n)
		}
	}
	added := false
	for _, n := range numbers {
		added = f.addPhone(n, rank) || added
	}
	return added
}

func (f *finder) addPhone(n phone.Number, rank int) bool {
	if len(n.Warnings()) > 0 {
		return false
	}
	f.add(Target{link: Link{kind: KindPhone, phone: n}}, rank)
	return true
}

// isNational reports whether s is written as people in the country write a number between words. Where
// they dial 0 first, one without it looks like any other digits unless it's long.
func (f *finder) isNational(s string) bool {
	const long = 10
	digits := digitsOf(s)
	if strings.HasPrefix(digits, "0") || len(digits) >= long {
		return true
	}
	n, err := phone.ParseIn(digits, f.country)
	m, trunkErr := phone.ParseIn("0"+digits, f.country)
	return err == nil && (trunkErr != nil || m != n)
}

// addPrefix adds the number that the first groups of run are, if the others belong to something else:
// to a word after them, or to another number. It reports whether there is one.
func (f *finder) addPrefix(run, after string, rank int) bool {
	for end := len(run); ; {
		end = strings.LastIndexFunc(run[:end], unicode.IsSpace)
		if end < 0 {
			return false
		}
		rest := strings.TrimLeftFunc(run[end:], unicode.IsSpace)
		n := len(f.found)
		isWord := isDigitsOnly(rest) && startsWithWord(after)
		if !isWord && (isPlus(first(rest, nil)) || !f.addNumber(rest, rank, false)) {
			continue
		}
		others := slices.Clone(f.found[n:])
		f.found = f.found[:n]
		if f.addNumber(run[:end], rank, false) {
			for _, o := range others {
				f.add(o.target, o.rank)
			}
			return true
		}
	}
}

// nextNumber returns where another number can begin in run after the first group, or 0: with a 0 after
// the number of a room or the like, or in brackets. Longer groups may be those of an IBAN.
func nextNumber(run string) int {
	const short = 3
	end := strings.IndexFunc(run, unicode.IsSpace)
	if end < 0 {
		return 0
	}
	rest := strings.TrimLeftFunc(run[end:], unicode.IsSpace)
	if rest[0] == '(' || rest[0] == '0' && end <= short {
		return len(run) - len(rest)
	}
	return 0
}

// rank returns the rank of a number at i by the label between it and the number before.
func (f *finder) rank(i int) int {
	label := strings.ToLower(f.text[max(min(f.labelsAt, i), i-maxWord):i])
	for _, l := range labels {
		if slices.ContainsFunc(l.words, func(word string) bool { return strings.Contains(label, word) }) {
			return l.rank
		}
	}
	return rankPlain
}

// addUsername adds the username that the text is without its accents, capitals and white space.
func (f *finder) addUsername() {
	text := strings.TrimPrefix(f.text, "@")
	if f.isNumeric || len(strings.Fields(text)) > 2 || !unicode.IsLetter(first(strings.TrimSpace(text), nil)) {
		return
	}
	name := strings.Join(strings.FieldsFunc(text, isBlank), "")
	if u, err := busname.ParseHandle(withoutAccents(name)); err == nil {
		f.add(Target{link: Link{kind: KindUsername, username: u}}, rankPlain)
	}
}

// before returns the character before i, or 0. Format characters don't count.
func (f *finder) before(i int) rune {
	r, size := utf8.DecodeLastRuneInString(strings.TrimRightFunc(f.text[:i], isFormat))
	if size == 0 {
		return 0
	}
	return r
}
