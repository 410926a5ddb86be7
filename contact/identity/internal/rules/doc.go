// Package rules decides which IDs belong to one person. It implements docs/identity-spec.md, and each file
// names its section: state.go 2, evidence.go 3, announcement.go 4, stable.go 5, line.go 6 and 7, people.go
// 8 and 9, conflict.go 10, and forget.go the last item of 11.
//
// All functions are pure: they know no store, context or clock. Package identity keeps the facts and
// people in a store, and checks all input.
package rules
