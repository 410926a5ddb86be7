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

func sideLines(of rules.Side) string {
	return lines(of.BSUID.String(), of.Parent.String(), of.Phone.String())
}

// rowsOf returns the rows of s by key. A row is found by its IDs that aren't crowded, so that the number of
// rows that an ID is found by is limited. One that would be found by none isn't a row.
func rowsOf(s *rules.State) map[string]store.Fact {
	rows := make(map[string]store.Fact, len(s.Cells)+len(s.Changes)+len(s.Verdicts)+len(s.Handovers))
	add := func(key, value string, ids ...rules.Alias) {
		f := store.Fact{Key: key, Value: value, Seen: strings.HasPrefix(key, rowSeen)}
		for _, a := range ids {
			if text := a.String(); a.IsValid() && !s.Crowded[a] && !slices.Contains(f.Aliases, text) {
				f.Aliases = append(f.Aliases, text)
			}
		}
		if alone := len(ids) == 1; alone && s.Crowded[ids[0]] {
			f.Aliases = []string{ids[0].String()}
		}
		if len(f.Aliases) > 0 {
			rows[key] = f
		}
	}
	for side, c := range s.Cells {
		add(lines(rowSeen, sideLines(side)), lines(datedLines(&c.Received), monthLines(c.Months)), side.IDs()...)
	}
	for c, r := range s.Changes {
		key := lines(rowChanged, digits(c.At), sideLines(c.Sides[0]), sideLines(c.Sides[1]))
		add(key, lines(r[:]...), append(c.Sides[0].IDs(), c.Sides[1].IDs()...)...)
	}
	for p, list := range s.Verdicts {
		var parts []string
		for _, v := range list {
			parts = append(parts, digits(v.At), strconv.FormatBool(v.Joined), digits(v.Held[0]), digits(v.Held[1]))
		}
		add(lines(rowVerdict, p[0].String(), p[1].String()), lines(parts...), p[:]...)
	}
	for h, undone := range s.Handovers {
		add(lines(rowHanded, h.Phone.String(), digits(h.At)), strconv.FormatBool(undone), h.Phone)
	}
	for a := range s.Crowded {
		add(lines(rowCrowded, a.String()), "", a)
	}
	return rows
}

// A rowReader reads a row's lines, or a line's parts between tabs.
type rowReader struct {
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

func (r *rowReader) alias() rules.Alias {
	a, ok := rules.ParseAlias(r.text())
	if !ok {
		r.err = errRow
	}
	return a
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

// verdict reads a verdict's value. Version 1 of the tables kept no times of numbers.
func (r *rowReader) verdict(p rules.Pair) rules.Verdict {
	v := rules.Verdict{At: r.number(), Joined: r.text() == "true"}
	for i, a := range p {
		if v.Joined && a.Kind == rules.Phone {
			v.Held[i] = v.At
		}
	}
	if r.rest != "" {
		v.Held = [2]int64{r.number(), r.number()}
	}
	return v
}

// loadRows adds stored rows to a state.
func loadRows(s *rules.State, rows []store.Fact) error {
	for i := range rows {
		if text, found := strings.CutPrefix(rows[i].Key, rowCrowded+"\n"); found {
			r := rowReader{rest: text}
			s.Crowded[r.alias()] = true
		}
	}
	for i := range rows {
		kind, key, _ := strings.Cut(rows[i].Key, "\n")
		r := rowReader{rest: key + "\n" + rows[i].Value}
		switch kind {
		case rowSeen:
			s.AddCell(r.side(), rules.Cell{Received: r.dated(), Months: r.months()})
		case rowChanged:
			c := rules.Change{At: r.number(), Sides: [2]rules.Side{r.side(), r.side()}}
			s.AddChange(c, rules.Received{r.text(), r.text()})
		case rowVerdict:
			p := rules.Pair{r.alias(), r.alias()}
			for more := true; more && r.err == nil; more = r.rest != "" {
				s.AddVerdict(p, r.verdict(p))
			}
		case rowHanded:
			s.AddHandover(rules.Handover{Phone: r.alias(), At: r.number()}, r.text() == "true")
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
