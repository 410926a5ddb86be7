//go:build race

package testenv

// RaceEnabled reports whether the race detector is on. It slows code down, allocates
// memory, and lets a sync.Pool drop values.
const RaceEnabled = true
