package phone

import (
	_ "embed"
	"strconv"
	"strings"
)

// numbering contains numbering plans from libphonenumber 9.0.32 (Apache License 2.0). The
// command internal/check/harness/numbering writes the table and describes its format.
//
//go:embed numbering.bin
var numbering string

// A plan describes the numbers with the same calling code.
type plan struct {
	code    string
	depth   int    // the number of leading digits that choose a cell
	zero    bool   // numbers of subscribers can begin with 0
	regions string // the number of regions, and the ISO code and the name of each
	shared  string // the name of several regions
	runs    string
}

// planOf returns the plan for an international number.
func planOf(digits string) (plan, bool) {
	for code, t := range plans {
		if strings.HasPrefix(digits, code) {
			return newPlan(code, t), true
		}
	}
	return plan{}, false
}

// plans iterates over the calling codes and the tables of their plans.
func plans(yield func(code string, t table) bool) {
	t := table(numbering)
	t.next(3 * t.byte()) // the cells
	for range t.byte() { // the rules
		t.next(t.int())
	}
	for len(t) > 0 {
		code := strconv.Itoa(t.int())
		if !yield(code, table(t.next(t.int()))) {
			return
		}
	}
}

func newPlan(code string, t table) plan {
	p := plan{code: code}
	flags := t.byte()
	p.depth, p.zero = flags&15, flags&16 != 0
	p.regions = string(t)
	for range t.byte() {
		t.region()
	}
	p.shared = t.text()
	p.runs = t.next(2 * t.int())
	return p
}

// A region is a country with a plan of its own or a shared one.
type region struct {
	id, name string
	rule     int // how people in the region dial
}

func (t *table) region() region { return region{t.next(2), t.text(), t.byte()} }

// A cell describes the numbers that begin with the same digits.
type cell struct {
	lengths int // bit n: there are numbers of n digits
	region  int // 1 is the first region of the plan, 0 means several
}

// cellOf returns the cell for the digits after the calling code.
func (p plan) cellOf(national string) cell {
	if len(national) < p.depth {
		return cell{}
	}
	prefix, _ := strconv.Atoi(national[:p.depth])
	for run := table(p.runs); ; {
		prefix -= run.byte()
		index := run.byte()
		if prefix < 0 {
			t := table(numbering[1+3*index:])
			return cell{t.int(), t.byte()}
		}
	}
}

// possible reports whether such numbers exist.
func (p plan) possible(national string) bool {
	return p.cellOf(national).lengths&(1<<len(national)) != 0
}

// region returns a region's ISO code and name. For region 0, the name covers all of them.
func (p plan) region(index int) (id, name string) {
	t := table(p.regions)
	n := t.byte()
	if index == 0 && n > 1 {
		return "", p.shared
	}
	var r region
	for range max(index, 1) {
		r = t.region()
	}
	if r.id == "ZZ" {
		return "", r.name
	}
	return r.id, r.name
}

// isService reports whether the plan is that of a service without a country, such as +800.
func (p plan) isService() bool { return p.main().id == "ZZ" }

// main returns the plan's first region.
func (p plan) main() region {
	t := table(p.regions)
	t.byte()
	return t.region()
}

// A table contains the unread bytes.
type table string

func (t *table) next(n int) string {
	s := (*t)[:n]
	*t = (*t)[n:]
	return string(s)
}

func (t *table) byte() int { return int(t.next(1)[0]) }

func (t *table) int() int { return t.byte()<<8 | t.byte() }

func (t *table) text() string { return t.next(t.byte()) }
