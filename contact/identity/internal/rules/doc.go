// Package rules decides which aliases belong to one person. It implements docs/identity-spec.md, whose
// sections its comments name: section 2 in state.go, 3.1 and 3.5 in solve.go, 3.2 in boundary.go, 3.3
// and 3.4 in line.go, 3.6 to 3.9 and 4 in people.go.
//
// All functions are pure: they know no store, context or clock. Package identity keeps the facts and
// people in a store, and checks all input. pieces.go and trace.go describe a solution in the terms that
// the engine stores and compares, and removal.go takes a person out of it.
package rules
