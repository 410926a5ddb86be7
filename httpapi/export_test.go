package httpapi

import (
	"cmp"
	"slices"
	"time"
)

// SetClock replaces the clock of a handler and its limiter in memory.
func SetClock(h *Handler, now func() time.Time) {
	h.now, h.networks.now = now, now
}

// A Declared is a parameter or field of a route.
type Declared struct {
	Name     string
	Required bool
}

// DeclaredOf returns the declared parameters or fields of a route, by name, or false if there
// is no such route.
func DeclaredOf(method, path string) (all []Declared, ok bool) {
	index, err := indexRoutes(nil)
	rt := index[path]
	if err != nil || rt == nil || rt.method != method {
		return nil, false
	}
	for _, d := range rt.declared() {
		all = append(all, Declared{d.name, d.required})
	}
	slices.SortFunc(all, func(a, b Declared) int { return cmp.Compare(a.Name, b.Name) })
	return all, true
}
