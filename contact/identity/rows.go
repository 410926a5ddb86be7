package identity

import (
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/hailmark/hailmark/contact/identity/internal/rules"
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

func datedLines(d *rules.Dated) string { return lines(digits(d.At), escapeLabel.Replace(d.Text)) }

// monthLines writes each month in a line: the seconds since the month before and those that it
// lasts, and then, if there are any, its labels. A person's year takes about 150 bytes.
func monthLines(months []rules.Month) string {
	text := make([]byte, 0, 20*len(months))
	before := int64(0)
	for i := range months {
		m := &months[i]
		if i > 0 {
			text = append(text, '\n')
		}
		text = append(strconv.AppendInt(text, m.First-before, 10), '\t')
		text = strconv.AppendInt(text, m.Last-m.First, 10)
		before = m.Last
		if m.Username.Text != "" || m.Name.Text != "" {
			for _, d := range [...]*rules.Dated{&m.Username, &m.Name} {
				text = append(strconv.AppendInt(append(text, '\t'), d.At, 10), '\t')
				text = append(text, escapeLabel.Replace(d.Text)...)
			}
		}
	}
	return string(text)
}

func sideLines(s *rules.State, of rules.Side) string {
	return lines(s.Names[of.BSUID].String(), s.Names[of.Parent].String(), s.Names[of.Phone].String())
}

// rowsOf returns the rows of s by key.
func rowsOf(s *rules.State) map[string]store.Fact {
	rows := make(map[string]store.Fact, len(s.Cells)+len(s.Changes)+len(s.Verdicts)+len(s.Handovers))
	add := func(key, value string) {
		rows[key] = store.Fact{Key: key, Value: value, Aliases: keyAliases(key), Seen: strings.HasPrefix(key, rowSeen)}
	}
	for i := range s.Cells {
		c := &s.Cells[i]
		add(lines(rowSeen, sideLines(s, c.Side)), lines(datedLines(&c.Received), monthLines(c.Months)))
	}
	for _, c := range s.Changes {
		add(lines(rowChanged, digits(c.At), sideLines(s, c.Sides[0]), sideLines(s, c.Sides[1])), lines(c.Received[:]...))
	}
	for _, v := range s.Verdicts {
		add(lines(rowVerdict, s.Names[v.A].String(), s.Names[v.B].String()), lines(digits(v.At), strconv.FormatBool(v.Joined)))
	}
	for _, h := range s.Handovers {
		add(lines(rowHanded, s.Names[h.Phone].String(), digits(h.At)), strconv.FormatBool(h.Undone))
	}
	for phone := range s.Crowded {
		add(lines(rowCrowded, s.Names[phone].String()), "")
	}
	return rows
}

// A rowReader reads a row's lines, or a line's parts between tabs.
type rowReader struct {
	s    *rules.State
	rest string
	tabs bool
	err  error
}

func (r *rowReader) text() string {
	separator := "\n"
	if r.tabs {
		separator = "\t"
	}
	part, rest, _ := strings.Cut(r.rest, separator)
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
	a, ok := rules.ParseAlias(r.text())
	if !ok {
		r.err = errRow
	}
	return r.s.Number(a)
}

func (r *rowReader) side() rules.Side {
	return rules.Side{BSUID: r.alias(), Parent: r.alias(), Phone: r.alias()}
}

func (r *rowReader) dated() rules.Dated {
	return rules.Dated{At: r.number(), Text: unescapeLabel.Replace(r.text())}
}

// months reads the rest of a row as [monthLines] wrote it.
func (r *rowReader) months() []rules.Month {
	months := make([]rules.Month, 0, 1+strings.Count(r.rest, "\n"))
	before := int64(0)
	for r.err == nil && (len(months) == 0 || r.rest != "") {
		line := r.text()
		tabs := strings.Count(line, "\t")
		m := rowReader{rest: line, tabs: true}
		month := rules.Month{First: before + m.number()}
		month.Last = month.First + m.number()
		before = month.Last
		if tabs == 5 {
			month.Username, month.Name = m.dated(), m.dated()
		}
		if tabs != 1 && tabs != 5 || m.err != nil {
			r.err = errRow
		}
		months = append(months, month)
	}
	return months
}

// loadRows adds stored rows to a state.
func loadRows(s *rules.State, rows []store.Fact) error {
	for i := range rows {
		if phone, found := strings.CutPrefix(rows[i].Key, rowCrowded+"\n"); found {
			r := rowReader{s: s, rest: phone}
			s.AddCrowded(r.alias())
		}
	}
	for i := range rows {
		kind, key, _ := strings.Cut(rows[i].Key, "\n")
		r := rowReader{s: s, rest: key + "\n" + rows[i].Value}
		switch kind {
		case rowSeen:
			s.AddCell(rules.Cell{Side: r.side(), Received: r.dated(), Months: r.months()})
		case rowChanged:
			s.AddChange(rules.Change{
				ChangeKey: rules.ChangeKey{At: r.number(), Sides: [2]rules.Side{r.side(), r.side()}},
				Received:  [2]string{r.text(), r.text()},
			})
		case rowVerdict:
			s.AddVerdict(rules.Verdict{A: r.alias(), B: r.alias(), At: r.number(), Joined: r.text() == "true"})
		case rowHanded:
			s.AddHandover(rules.Handover{HandoverKey: rules.HandoverKey{Phone: r.alias(), At: r.number()}, Undone: r.text() == "true"})
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
