//go:build race

package qrcode_test

// raceEnabled is whether the race detector is on, under which a sync.Pool forgets.
const raceEnabled = true
