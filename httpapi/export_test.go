package httpapi

import "github.com/hailmark/hailmark/problem"

// AllCodes returns every code that a response can have.
func AllCodes() []problem.Code { return allErrorCodes() }

const MaxFields = maxFields

// FieldCounts returns how many parameters or fields each route has.
func FieldCounts() (counts []int) {
	for i := range routes {
		counts = append(counts, len(routes[i].declared()))
	}
	return counts
}
