//go:build race

package httpapi_test

// raceEnabled is whether the race detector is on, under which more is allocated.
const raceEnabled = true
