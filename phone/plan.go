package phone

import (
	_ "embed"
	"strconv"
)

// numbering contains numbering plans from libphonenumber 9.0.32 (Apache License 2.0). The
// command internal/harness/numbering writes the table and describes its format.
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
	t := table(numbering)
	t.next(3 * t.byte()) // the cells
	for len(t) > 0 {
		code := t.int()
		size := digitsOf(code)
		rest := table(t.next(t.int()))
		if len(digits) < size {
			continue
		}
		if n, _ := strconv.Atoi(digits[:size]); n != code {
			continue
		}
		p := plan{code: digits[:size]}
		flags := rest.byte()
		p.depth, p.zero = flags&15, flags&16 != 0
		p.regions = string(rest)
		for range rest.byte() {
			rest.next(2)
			rest.text()
		}
		p.shared = rest.text()
		p.runs = rest.next(2 * rest.int())
		return p, true
	}
	return plan{}, false
}

func digitsOf(code int) int {
	switch {
	case code < 10:
		return 1
	case code < 100:
		return 2
	default:
		return 3
	}
}

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
	for range max(index, 1) {
		id, name = t.next(2), t.text()
	}
	if id == "ZZ" {
		id = ""
	}
	return id, name
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
