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

// A rowWriter builds one row.
type rowWriter struct {
	s     *state
	parts []string
	row   store.Fact
}

func (w *rowWriter) alias(aliases ...int32) {
	for _, n := range aliases {
		w.parts = append(w.parts, w.s.names[n].String())
	}
}

func (w *rowWriter) number(numbers ...int64) {
	for _, n := range numbers {
		w.parts = append(w.parts, strconv.FormatInt(n, 10))
	}
}

func (w *rowWriter) key() {
	w.row.Key = strings.Join(w.parts, "\n")
	w.row.Aliases = keyAliases(w.row.Key)
	w.parts = w.parts[:0]
}

func (w *rowWriter) done() store.Fact {
	w.row.Value = strings.Join(w.parts, "\n")
	return w.row
}

var (
	escapeLabel   = strings.NewReplacer("\\", `\\`, "\n", `\n`)
	unescapeLabel = strings.NewReplacer(`\\`, "\\", `\n`, "\n")
)

// rows returns the rows of s by key.
func (s *state) rows() map[string]store.Fact {
	rows := make(map[string]store.Fact, len(s.cells)+len(s.changes)+len(s.verdicts)+len(s.handovers))
	begin := func(kind string) *rowWriter { return &rowWriter{s: s, parts: []string{kind}} }
	add := func(row store.Fact) { rows[row.Key] = row }
	for i := range s.cells {
		c, w := &s.cells[i], begin(rowSeen)
		w.row.Seen = true
		w.alias(c.bsuid, c.parent, c.phone)
		w.number(c.period)
		w.key()
		w.number(c.first, c.last)
		for _, d := range [...]*dated{&c.username, &c.name, &c.received} {
			w.number(d.at)
			w.parts = append(w.parts, escapeLabel.Replace(d.text))
		}
		add(w.done())
	}
	for i := range s.changes {
		c, w := &s.changes[i], begin(rowChanged)
		w.number(c.at)
		for _, side := range c.sides {
			w.alias(side.bsuid, side.parent, side.phone)
		}
		w.key()
		w.parts = append(w.parts, c.received[:]...)
		add(w.done())
	}
	for _, v := range s.verdicts {
		w := begin(rowVerdict)
		w.alias(v.a, v.b)
		w.key()
		w.number(v.at)
		w.parts = append(w.parts, strconv.FormatBool(v.joined))
		add(w.done())
	}
	for _, h := range s.handovers {
		w := begin(rowHanded)
		w.alias(h.phone)
		w.number(h.at)
		w.key()
		w.parts = append(w.parts, strconv.FormatBool(h.undone))
		add(w.done())
	}
	for phone := range s.crowded {
		w := begin(rowCrowded)
		w.alias(phone)
		w.key()
		add(w.done())
	}
	return rows
}

// A rowReader reads a row.
type rowReader struct {
	s    *state
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

// parseAlias reads a text of [Alias.String]. An empty text is the zero Alias.
func parseAlias(text string) (Alias, bool) {
	if text == "" {
		return Alias{}, true
	}
	kind, rest, _ := strings.Cut(text, "\t")
	scope, value, ok := strings.Cut(rest, "\t")
	for k, name := range kindNames {
		if name != "" && name == kind {
			return Alias{Kind(k), scope, value}, ok
		}
	}
	return Alias{}, false
}

// load adds stored rows.
func (s *state) load(rows []store.Fact) error {
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
			s.addCell(cell{cellKey{r.side(), r.number()}, r.number(), r.number(), r.dated(), r.dated(), r.dated()})
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
