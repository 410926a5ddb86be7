// Command numbering writes phone/numbering.bin, a table of the world's numbering plans:
// the country calling codes in use, the names of their countries, and the possible
// lengths and leading digits of their numbers. Run it in the folder of the repository:
//
//	go run ./internal/check/harness/numbering
//
// The source is the metadata of libphonenumber 9.0.32 (Apache License 2.0,
// https://github.com/google/libphonenumber), in the form in which the module
// github.com/nyaruka/phonenumbers v1.8.1 (MIT License) contains it. The names of the
// countries are those of CLDR, from golang.org/x/text.
//
// The table accepts every number that the metadata describes, and more, because it knows
// only one to four digits after the calling code. Integers of two bytes are big-endian:
//
//	file   = count *cell rules *rule *plan
//	cell   = lengths(2) region       ; bit n: numbers of n digits; which region of the plan, 0 for several
//	rule   = size(2) double local insert abroad trunk
//	                                 ; size is the number of bytes that follow it; double is 1 if 00 is always
//	                                 ; followed by a calling code; see the type dialing in package phone
//	plan   = code(2) size(2) flags regions *region shared runs(2) *run
//	                                 ; size is the number of bytes that follow it
//	flags  = depth | 16              ; the number of leading digits; 16 if numbers of subscribers can begin with 0
//	region = ISO(2) text rule        ; ISO 3166-1, or ZZ for a service without a country; the index of its rule
//	shared = text                    ; the name for numbers that several regions share, or empty
//	run    = count cell              ; that many consecutive prefixes have this cell
//	insert = text
//	abroad = count(2) *instruction   ; a pattern of package phone
//	trunk  = count(2) *instruction
//	text   = length bytes
//
// Cell 0 contains prefixes without numbers.
package main

import (
	"cmp"
	"encoding/binary"
	"fmt"
	"log"
	"maps"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/nyaruka/phonenumbers"
	"golang.org/x/text/language"
	"golang.org/x/text/language/display"
)

func main() {
	data, err := table()
	if err != nil {
		log.Fatal(err)
	}
	if err := os.WriteFile("phone/numbering.bin", data, 0o644); err != nil {
		log.Fatal(err)
	}
}

// A region is one country of a plan.
type region struct {
	id, name string
	main     bool
	rule     []byte // how its people dial
	patterns []*pattern
	weight   float64 // its share of the prefixes
}

// A cell describes all numbers with one prefix.
type cell struct {
	lengths uint32
	region  byte // 1 is the plan's first region, 0 means several
}

type plan struct {
	code    int
	regions []*region
	cells   []cell
	depth   int
	zero    bool
}

// services are calling codes without a country.
var services = map[int]string{
	800: "international freephone", 808: "international shared-cost service", 870: "Inmarsat satellite phones",
	878: "universal personal numbers", 881: "satellite phones", 882: "international networks", 883: "international networks",
	888: "disaster relief", 979: "international premium-rate service",
}

// presentNames corrects the names of golang.org/x/text, which are those of an old CLDR.
var presentNames = map[string]string{
	"CD": "DR Congo", "CG": "Congo", "CV": "Cabo Verde", "CZ": "Czechia", "HK": "Hong Kong", "MK": "North Macedonia", "MM": "Myanmar",
	"MO": "Macao", "PS": "Palestine", "SZ": "Eswatini", "TR": "Türkiye",
}

func table() ([]byte, error) {
	plans, err := plans()
	if err != nil {
		return nil, err
	}
	rules := []string{}
	cells := map[cell]int{{}: 0}
	list := []cell{{}}
	var body []byte
	for _, p := range plans {
		runs, n := []byte(nil), 0
		for i := 0; i < len(p.cells); n++ {
			end := i + 1
			for end < len(p.cells) && p.cells[end] == p.cells[i] && end-i < math.MaxUint8 {
				end++
			}
			index, found := cells[p.cells[i]]
			if !found {
				index = len(list)
				cells[p.cells[i]], list = index, append(list, p.cells[i])
			}
			runs = append(runs, byte(end-i), byte(index))
			i = end
		}
		flags := byte(p.depth)
		if p.zero {
			flags |= 16
		}
		rest := []byte{flags, byte(len(p.regions))}
		for _, r := range p.regions {
			index := slices.Index(rules, string(r.rule))
			if index < 0 {
				index, rules = len(rules), append(rules, string(r.rule))
			}
			rest = append(appendText(append(rest, r.id...), r.name), byte(index))
		}
		rest = appendText(rest, sharedName(p))
		rest = append(binary.BigEndian.AppendUint16(rest, uint16(n)), runs...)
		body = binary.BigEndian.AppendUint16(body, uint16(p.code))
		body = append(binary.BigEndian.AppendUint16(body, uint16(len(rest))), rest...)
	}
	if len(list) > math.MaxUint8 || len(rules) > math.MaxUint8 {
		return nil, fmt.Errorf("%d cells or %d rules do not fit into a byte", len(list), len(rules))
	}
	data := []byte{byte(len(list))}
	for _, c := range list {
		data = append(binary.BigEndian.AppendUint16(data, uint16(c.lengths)), c.region)
	}
	data = append(data, byte(len(rules)))
	for _, rule := range rules {
		data = append(binary.BigEndian.AppendUint16(data, uint16(len(rule))), rule...)
	}
	return append(data, body...), nil
}

func appendText(dst []byte, s string) []byte { return append(append(dst, byte(len(s))), s...) }

func plans() ([]*plan, error) {
	collection, err := phonenumbers.MetadataCollection()
	if err != nil {
		return nil, err
	}
	byCode := map[int]*plan{}
	names := display.English.Regions()
	for _, metadata := range collection.GetMetadata() {
		code := int(metadata.GetCountryCode())
		r := &region{id: metadata.GetId(), main: metadata.GetMainCountryForCode()}
		if r.id == "001" {
			r.id, r.name = "ZZ", services[code]
		} else {
			r.name = cmp.Or(presentNames[r.id], names.Name(language.MustParseRegion(r.id)))
			if r.rule, err = ruleOf(metadata); err != nil {
				return nil, err
			}
		}
		if r.name == "" {
			return nil, fmt.Errorf("+%d has no name", code)
		}
		if r.patterns, err = patternsOf(metadata); err != nil {
			return nil, err
		}
		if byCode[code] == nil {
			byCode[code] = &plan{code: code}
		}
		byCode[code].regions = append(byCode[code].regions, r)
		for _, desc := range []*phonenumbers.PhoneNumberDesc{metadata.GetFixedLine(), metadata.GetMobile()} {
			subscribers, err := patternOf(desc, metadata)
			if err != nil {
				return nil, err
			}
			byCode[code].zero = byCode[code].zero || subscribers != nil && subscribers.lengths("0") != 0
		}
	}
	plans := slices.SortedFunc(maps.Values(byCode), func(a, b *plan) int { return cmp.Compare(a.code, b.code) })
	for _, p := range plans {
		p.fill()
	}
	return plans, nil
}

// fill sorts the regions by importance and chooses how many leading digits the table
// contains for the plan.
func (p *plan) fill() {
	const maxDepth = 4
	const worth = 2e-6 // how many more of all numbers a run of the table must rule out
	for i, c := range p.atDepth(3) {
		if c.region > 0 {
			p.regions[c.region-1].weight++
		} else if c.lengths != 0 {
			for _, r := range p.regions {
				for _, pattern := range r.patterns {
					if pattern.lengths(fmt.Sprintf("%03d", i)) != 0 {
						r.weight += 0.1
					}
				}
			}
		}
	}
	slices.SortStableFunc(p.regions, func(a, b *region) int {
		if a.main != b.main {
			if a.main {
				return -1
			}
			return 1
		}
		return cmp.Or(cmp.Compare(b.weight, a.weight), strings.Compare(a.id, b.id))
	})
	for depth := 1; depth <= maxDepth; depth++ {
		cells := p.atDepth(depth)
		share := math.Pow10(-len(fmt.Sprint(p.code)))
		gain := share * (volume(p.cells) - volume(cells))
		if depth <= 3 || gain > worth*float64(runs(cells)-runs(p.cells)) {
			p.cells, p.depth = cells, depth
		}
	}
}

// volume returns the share of prefixes and lengths that cells accept.
func volume(cells []cell) float64 {
	n := 0
	for _, c := range cells {
		for lengths := c.lengths; lengths != 0; lengths &= lengths - 1 {
			n++
		}
	}
	return float64(n) / float64(len(cells)*10)
}

func runs(cells []cell) int { return len(slices.Compact(slices.Clone(cells))) }

func (p *plan) atDepth(depth int) []cell {
	cells := make([]cell, int(math.Pow10(depth)))
	for i := range cells {
		c, several := &cells[i], false
		for j, r := range p.regions {
			var lengths uint32
			for _, pattern := range r.patterns {
				lengths |= pattern.lengths(fmt.Sprintf("%0*d", depth, i))
			}
			if lengths != 0 {
				several = several || c.region != 0
				c.lengths, c.region = c.lengths|lengths, byte(j+1)
			}
		}
		if several {
			c.region = 0
		}
	}
	return cells
}

// sharedName returns the name for numbers shared by several regions.
func sharedName(p *plan) string {
	switch first := p.regions[0]; {
	case len(p.regions) == 1:
		return ""
	case len(p.regions) == 2:
		return first.name + " and " + p.regions[1].name
	case p.regions[1].weight < first.weight/10:
		return first.name + " and others"
	default:
		return first.name + ", " + p.regions[1].name + " and others"
	}
}
