package main

import (
	"fmt"
	"regexp/syntax"

	"github.com/nyaruka/phonenumbers"
)

// maxLength is the maximum number of digits after the country calling code.
const maxLength = 14

// A pattern is a regular expression of national numbers as a nondeterministic automaton.
// The regexp package only answers whether a whole number matches; a table of leading
// digits needs to know whether a prefix can be continued to a number, and with how many
// digits.
type pattern struct {
	prog    *syntax.Prog
	allowed uint32   // bit n: numbers of n digits are possible
	rest    []uint32 // per instruction, bit n: a match can follow after n more digits
}

// patternsOf returns a region's patterns for all number types.
func patternsOf(region *phonenumbers.PhoneMetadata) ([]*pattern, error) {
	var patterns []*pattern
	for _, desc := range []*phonenumbers.PhoneNumberDesc{
		region.GetFixedLine(), region.GetMobile(), region.GetTollFree(), region.GetPremiumRate(), region.GetSharedCost(),
		region.GetPersonalNumber(), region.GetVoip(), region.GetPager(), region.GetUan(), region.GetVoicemail(),
	} {
		p, err := patternOf(desc, region)
		if err != nil {
			return nil, err
		}
		if p != nil {
			patterns = append(patterns, p)
		}
	}
	return patterns, nil
}

// patternOf returns the pattern for one type, or nil if the region doesn't use it.
func patternOf(desc *phonenumbers.PhoneNumberDesc, region *phonenumbers.PhoneMetadata) (*pattern, error) {
	if desc.GetNationalNumberPattern() == "" {
		return nil, nil
	}
	lengths := desc.GetPossibleLength()
	if len(lengths) == 0 {
		lengths = region.GetGeneralDesc().GetPossibleLength()
	}
	p, err := compile(desc.GetNationalNumberPattern(), lengths)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", region.GetId(), err)
	}
	if p.allowed == 0 {
		return nil, nil
	}
	return p, nil
}

func compile(expr string, lengths []int32) (*pattern, error) {
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	p := &pattern{prog: prog, rest: make([]uint32, len(prog.Inst))}
	for _, n := range lengths {
		if n > 0 { // -1 means no length
			p.allowed |= 1 << n
		}
	}
	for changed := true; changed; { // to the least fixed point, since instructions can form loops
		changed = false
		for pc := range prog.Inst {
			inst := &prog.Inst[pc]
			var rest uint32
			switch inst.Op {
			case syntax.InstMatch:
				rest = 1
			case syntax.InstAlt, syntax.InstAltMatch:
				rest = p.rest[inst.Out] | p.rest[inst.Arg]
			case syntax.InstCapture, syntax.InstNop:
				rest = p.rest[inst.Out]
			case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
				rest = p.rest[inst.Out] << 1 & (1<<(maxLength+1) - 1)
			case syntax.InstFail:
			case syntax.InstEmptyWidth: // ^, $ and \b don't occur in the metadata
				fallthrough
			default:
				return nil, fmt.Errorf("%s: unexpected instruction %v", expr, inst)
			}
			if rest != p.rest[pc] {
				p.rest[pc], changed = rest, true
			}
		}
	}
	return p, nil
}

// lengths returns the possible lengths of whole numbers that begin with prefix, as bits.
func (p *pattern) lengths(prefix string) uint32 {
	states := p.closure(nil, uint32(p.prog.Start))
	for _, digit := range prefix {
		var next []uint32
		for _, pc := range states {
			if inst := &p.prog.Inst[pc]; isRune(inst.Op) && inst.MatchRune(digit) {
				next = p.closure(next, inst.Out)
			}
		}
		states = next
	}
	var rest uint32
	for _, pc := range states {
		rest |= p.rest[pc]
	}
	return rest << len(prefix) & p.allowed
}

func isRune(op syntax.InstOp) bool {
	return op == syntax.InstRune || op == syntax.InstRune1 || op == syntax.InstRuneAny || op == syntax.InstRuneAnyNotNL
}

// closure appends to states those that are reached from pc without a digit.
func (p *pattern) closure(states []uint32, pc uint32) []uint32 {
	for _, seen := range states {
		if seen == pc {
			return states
		}
	}
	states = append(states, pc)
	switch inst := &p.prog.Inst[pc]; inst.Op { //nolint:exhaustive // the others consume a digit or end
	case syntax.InstAlt, syntax.InstAltMatch:
		states = p.closure(states, inst.Out)
		return p.closure(states, inst.Arg)
	case syntax.InstCapture, syntax.InstNop:
		return p.closure(states, inst.Out)
	default:
		return states
	}
}
