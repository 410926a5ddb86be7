package main

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"regexp/syntax"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"
)

// maxLocal is the maximum number of digits of a number without its area code. Longer local
// numbers contain extensions.
const maxLocal = 8

// ruleOf returns how people in a region dial, as the table contains it.
func ruleOf(region *phonenumbers.PhoneMetadata) ([]byte, error) {
	abroad, err := programOf(region.GetInternationalPrefix())
	if err != nil {
		return nil, err
	}
	trunk, err := programOf(region.GetNationalPrefixForParsing())
	if err != nil {
		return nil, err
	}
	group := ""
	if region.GetNationalPrefixForParsing() != "" {
		re, err := regexp.Compile(region.GetNationalPrefixForParsing())
		if err != nil {
			return nil, err
		}
		group = fmt.Sprintf("$%d", re.NumSubexp())
	}
	insert := region.GetNationalPrefixTransformRule()
	if insert != "" {
		prefix, found := strings.CutSuffix(insert, group)
		if !found || strings.Contains(prefix, "$") {
			return nil, fmt.Errorf("%s: unexpected rule %q", region.GetId(), insert)
		}
		insert = prefix + "$"
	}
	double := byte(0)
	if isDoubleZero(region.GetInternationalPrefix()) {
		double = 1
	}
	rule := appendText([]byte{double, byte(localDigits(region))}, insert)
	return append(append(rule, abroad...), trunk...), nil
}

// isDoubleZero reports whether 00 matches expr, and nothing longer does that begins with 00.
func isDoubleZero(expr string) bool {
	re := regexp.MustCompile("^(?:" + expr + ")")
	re.Longest()
	for i := range 10_000 {
		if re.FindString(fmt.Sprintf("00%04d", i)) != "00" {
			return false
		}
	}
	return true
}

// localDigits returns the maximum number of digits of a number without its area code, or 0 in a
// region without a trunk prefix.
func localDigits(region *phonenumbers.PhoneMetadata) int {
	if region.GetNationalPrefix() == "" {
		return 0
	}
	lengths := region.GetFixedLine().GetPossibleLength()
	if len(lengths) == 0 {
		lengths = region.GetGeneralDesc().GetPossibleLength()
	}
	local := min(int(slices.Max(lengths))-1, maxLocal)                      // an area code has at least one digit
	return min(local, max(len(region.GetMobile().GetExampleNumber())-1, 0)) // mobile numbers are often written without the trunk prefix
}

// The operations of the type pattern in package phone.
const (
	opMatch = iota
	opEnd
	opDigit
	opEither
	opOpen
	opClose
)

// programOf compiles expr for the type pattern in package phone. Of its groups, it keeps the
// last one.
func programOf(expr string) ([]byte, error) {
	if expr == "" {
		return []byte{0, 0}, nil
	}
	re, err := syntax.Parse(expr, syntax.Perl)
	if err != nil {
		return nil, err
	}
	group := 2 * re.MaxCap()
	prog, err := syntax.Compile(re.Simplify())
	if err != nil {
		return nil, err
	}
	var order []uint32 // the instructions that the pattern keeps
	place := map[uint32]int{}
	skip := func(pc uint32) uint32 {
		for {
			inst := &prog.Inst[pc]
			if inst.Op != syntax.InstNop && (inst.Op != syntax.InstCapture || group > 0 && int(inst.Arg)|1 == group|1) {
				return pc
			}
			pc = inst.Out
		}
	}
	var visit func(pc uint32)
	visit = func(pc uint32) {
		pc = skip(pc)
		if _, found := place[pc]; found {
			return
		}
		place[pc] = len(order)
		order = append(order, pc)
		inst := &prog.Inst[pc]
		if inst.Op != syntax.InstMatch {
			visit(inst.Out)
		}
		if inst.Op == syntax.InstAlt || inst.Op == syntax.InstAltMatch {
			visit(inst.Arg)
		}
	}
	visit(uint32(prog.Start))
	data := binary.BigEndian.AppendUint16(nil, uint16(len(order)))
	for _, pc := range order {
		inst := &prog.Inst[pc]
		operation, argument := opMatch, 0
		switch inst.Op {
		case syntax.InstMatch:
		case syntax.InstAlt, syntax.InstAltMatch:
			operation, argument = opEither, place[skip(inst.Arg)]
		case syntax.InstCapture:
			operation = opOpen + int(inst.Arg)&1
		case syntax.InstRune, syntax.InstRune1, syntax.InstRuneAny, syntax.InstRuneAnyNotNL:
			operation = opDigit
			for digit := range 10 {
				if inst.MatchRune(rune('0' + digit)) {
					argument |= 1 << digit
				}
			}
		case syntax.InstEmptyWidth:
			if syntax.EmptyOp(inst.Arg) != syntax.EmptyEndText {
				return nil, fmt.Errorf("%s: unexpected instruction %v", expr, inst)
			}
			operation = opEnd
		case syntax.InstFail, syntax.InstNop:
			return nil, fmt.Errorf("%s: unexpected instruction %v", expr, inst)
		}
		next := 0
		if inst.Op != syntax.InstMatch {
			next = place[skip(inst.Out)]
		}
		data = append(data, byte(operation))
		data = binary.BigEndian.AppendUint16(data, uint16(argument))
		data = binary.BigEndian.AppendUint16(data, uint16(next))
	}
	return data, nil
}
