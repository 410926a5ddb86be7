package httpapi

import (
	"maps"
	"slices"

	"github.com/hailmark/hailmark/problem"
)

// AllCodes returns every code that any request can be answered with.
func AllCodes() []problem.Code {
	codes := map[problem.Code]bool{CodeNotFound: true, CodeMethodNotAllowed: true}
	for i := range routes {
		for _, code := range routes[i].allCodes() {
			codes[code] = true
		}
	}
	return slices.Sorted(maps.Keys(codes))
}

const MaxFields = maxFields

// FieldCounts returns how many parameters or fields each route has.
func FieldCounts() (counts []int) {
	for i := range routes {
		counts = append(counts, len(routes[i].params))
		if routes[i].body != nil {
			counts = append(counts, len(routes[i].body.fields))
		}
	}
	return counts
}
