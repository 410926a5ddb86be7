package phone

// A pattern is a compiled regular expression that matches leading digits, for example the trunk
// prefix of a country. It consists of instructions of five bytes: an operation, an argument and
// the index of the next instruction, the last two in two bytes each.
//
// The package regexp would make programs larger by more than the whole numbering table.
type pattern string

// The operations, with their arguments.
const (
	opMatch  = iota // the pattern matches what precedes
	opEnd           // no digit follows
	opDigit         // a digit of a set: bit n is for the digit n
	opEither        // the next instruction or, if that doesn't lead to a match, the one in the argument
	opOpen          // the group begins
	opClose         // the group ends
)

// A match describes the digits that a pattern matches.
type match struct {
	end        int // how many digits it matches
	open       int // the group's first digit
	group      string
	groupFound bool
}

// match matches p with the beginning of digits.
func (p pattern) match(digits string) (match, bool) {
	if p == "" {
		return match{}, false
	}
	return p.from(0, digits, match{})
}

// from continues a match at an instruction.
func (p pattern) from(index int, digits string, m match) (match, bool) {
	for {
		t := table(p[5*index:])
		operation, argument, next := t.byte(), t.int(), t.int()
		switch operation {
		case opMatch:
			return m, true
		case opEnd:
			if m.end < len(digits) {
				return match{}, false
			}
		case opDigit:
			if m.end == len(digits) || argument&(1<<(digits[m.end]-'0')) == 0 {
				return match{}, false
			}
			m.end++
		case opEither:
			if result, ok := p.from(next, digits, m); ok {
				return result, true
			}
			next = argument
		case opOpen:
			m.open = m.end
		case opClose:
			m.group, m.groupFound = digits[m.open:m.end], true
		}
		index = next
	}
}
