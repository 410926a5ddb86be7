//go:build race

package serve

// raceEnabled is whether the race detector is on, under which memory is not what it is.
const raceEnabled = true
