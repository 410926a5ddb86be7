package identity

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/contact/identity/store"
)

// An evidence row is text. Line feeds separate the parts in its key and in its value.
// An alias contains no control character.
const (
	rowSeen    = "seen"
	rowChanged = "changed"
	rowVerdict = "verdict"
	rowHanded  = "handed_over"
	rowCrowded = "crowded"
)

var errRow = errors.New("identity: the store returned a row that this package didn't write")

var (
	escapeLabel   = strings.NewReplacer("\\", `\\`, "\n", `\n`, "\t", `\t`)
	unescapeLabel = strings.NewReplacer(`\\`, "\\", `\n`, "\n", `\t`, "\t")
)

func lines(parts ...string) string { return strings.Join(parts, "\n") }

func digits(n int64) string { return strconv.FormatInt(n, 10) }

func (d *dated) lines() string { return lines(digits(d.at), escapeLabel.Replace(d.text)) }

// monthLines writes each month in a line: the seconds since the month before and those that it
// lasts, and then, if there are any, its labels. A person's year takes about 150 bytes.
func monthLines(months []month) string {
	var b strings.Builder
	before := int64(0)
	for i := range months {
		m := &months[i]
		if i > 0 {
			b.WriteByte('\n')
		}
		b.WriteString(digits(m.first-before) + "\t" + digits(m.last-m.first))
		before = m.last
		if m.username.text != "" || m.name.text != "" {
			for _, d := range [...]*dated{&m.username, &m.name} {
				b.WriteString("\t" + digits(d.at) + "\t" + escapeLabel.Replace(d.text))
			}
		}
	}
	return b.String()
}

func (s *State) lines(of side) string {
	return lines(s.names[of.bsuid].String(), s.names[of.parent].String(), s.names[of.phone].String())
}

// rows returns the rows of s by key.
func (s *State) rows() map[string]store.Fact {
	rows := make(map[string]store.Fact, len(s.cells)+len(s.changes)+len(s.verdicts)+len(s.handovers))
	add := func(key, value string) {
		rows[key] = store.Fact{Key: key, Value: value, Aliases: keyAliases(key), Seen: strings.HasPrefix(key, rowSeen)}
	}
	for i := range s.cells {
		c := &s.cells[i]
		add(lines(rowSeen, s.lines(c.side)), lines(c.received.lines(), monthLines(c.months)))
	}
	for _, c := range s.changes {
		add(lines(rowChanged, digits(c.at), s.lines(c.sides[0]), s.lines(c.sides[1])), lines(c.received[:]...))
	}
	for _, v := range s.verdicts {
		add(lines(rowVerdict, s.names[v.a].String(), s.names[v.b].String()), lines(digits(v.at), strconv.FormatBool(v.joined)))
	}
	for _, h := range s.handovers {
		add(lines(rowHanded, s.names[h.phone].String(), digits(h.at)), strconv.FormatBool(h.undone))
	}
	for phone := range s.crowded {
		add(lines(rowCrowded, s.names[phone].String()), "")
	}
	return rows
}

// A rowReader reads a row.
type rowReader struct {
	s    *State
	rest string
	err  error
}

func (r *rowReader) text() string {
	part, rest, _ := strings.Cut(r.rest, "\n")
	r.rest = rest
	return part
}

func (r *rowReader) number() int64 {
	n, err := strconv.ParseInt(r.text(), 10, 64)
	if err != nil {
		r.err = errRow
	}
	return n
}

func (r *rowReader) alias() int32 {
	a, ok := parseAlias(r.text())
	if !ok {
		r.err = errRow
	}
	return r.s.number(a)
}

func (r *rowReader) side() side { return side{r.alias(), r.alias(), r.alias()} }

func (r *rowReader) dated() dated {
	return dated{r.number(), unescapeLabel.Replace(r.text())}
}

// months reads the rest of a row as [monthLines] wrote it.
func (r *rowReader) months() (months []month) {
	before := int64(0)
	for r.err == nil && (months == nil || r.rest != "") {
		parts := strings.Split(r.text(), "\t")
		number := func(i int) int64 {
			n, err := strconv.ParseInt(parts[i], 10, 64)
			if err != nil {
				r.err = errRow
			}
			return n
		}
		if len(parts) != 2 && len(parts) != 6 {
			r.err = errRow
			break
		}
		m := month{first: before + number(0)}
		m.last = m.first + number(1)
		before = m.last
		if len(parts) == 6 {
			m.username = dated{number(2), unescapeLabel.Replace(parts[3])}
			m.name = dated{number(4), unescapeLabel.Replace(parts[5])}
		}
		months = append(months, m)
	}
	return months
}

// parseAlias reads a text of [Alias.String]. An empty text is the zero Alias.
func parseAlias(text string) (Alias, bool) {
	if text == "" {
		return Alias{}, true
	}
	kind, rest, _ := strings.Cut(text, "\t")
	scope, value, ok := strings.Cut(rest, "\t")
	var k Kind
	if !ok || k.UnmarshalText([]byte(kind)) != nil {
		return Alias{}, false
	}
	return Alias{k, scope, value}, true
}

// load adds stored rows.
func (s *State) load(rows []store.Fact) error {
	for i := range rows {
		if phone, found := strings.CutPrefix(rows[i].Key, rowCrowded+"\n"); found {
			r := rowReader{s: s, rest: phone}
			s.addCrowded(r.alias())
		}
	}
	for i := range rows {
		kind, key, _ := strings.Cut(rows[i].Key, "\n")
		r := rowReader{s: s, rest: key + "\n" + rows[i].Value}
		switch kind {
		case rowSeen:
			s.addCell(cell{r.side(), r.dated(), r.months()})
		case rowChanged:
			s.addChange(change{changeKey{r.number(), [2]side{r.side(), r.side()}}, [2]string{r.text(), r.text()}})
		case rowVerdict:
			s.addVerdict(verdict{r.alias(), r.alias(), r.number(), r.text() == "true"})
		case rowHanded:
			s.addHandover(handover{handoverKey{r.alias(), r.number()}, r.text() == "true"})
		case rowCrowded:
		default:
			r.err = errRow
		}
		if r.err != nil {
			return r.err
		}
	}
	return nil
}

// keyAliases returns the aliases in a row's key, which are the parts that contain tabs.
func keyAliases(key string) (aliases []string) {
	for part := range strings.SplitSeq(key, "\n") {
		if strings.Contains(part, "\t") && !slices.Contains(aliases, part) {
			aliases = append(aliases, part)
		}
	}
	return aliases
}
