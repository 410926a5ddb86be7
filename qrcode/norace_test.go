//go:build !race

package qrcode_test

const raceEnabled = false
