//go:build unix

package redislimit_test

import (
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"
)

// pause stops the server without closing its connections, until resume.
func (s *server) pause(t *testing.T) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGSTOP))
}

func (s *server) resume(t *testing.T) {
	t.Helper()
	require.NoError(t, s.cmd.Process.Signal(syscall.SIGCONT))
}
