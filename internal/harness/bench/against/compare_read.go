//go:build ignore

package main

import (
	old "github.com/hailmark/hailmark/internal/harness/bench/against/old/webhooknorm"
	"github.com/hailmark/hailmark/webhooknorm"
)

// This file is built only if the earlier commit has Read.
func init() {
	functions = append(functions, function{
		"Read",
		func(payload []byte) int { return len(must(old.Read(payload)).Events) },
		func(payload []byte) int { return len(must(webhooknorm.Read(payload)).Events) },
	})
}
