package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestRun(t *testing.T) {
	for _, tt := range []struct {
		args   string
		status int
		stdout string
		stderr string
	}{
		{"", 2, "", usage},
		{"help", 0, usage, ""},
		{"-help", 0, usage, ""},
		{"serv", 2, "", "hailmark: unknown command \"serv\"; hailmark help lists the commands\n"},
		{"version", 0, "", ""},
		{"licenses", 0, "", ""},
		{"serve -help", 0, "", ""},
		{"serve -no-such-flag", 2, "", ""},
	} {
		var stdout, stderr strings.Builder
		require.Equal(t, tt.status, run(strings.Fields(tt.args), &stdout, &stderr), tt.args)
		require.Equal(t, tt.stdout, stdout.String(), tt.args)
		require.Equal(t, tt.stderr, stderr.String(), tt.args)
	}
}
