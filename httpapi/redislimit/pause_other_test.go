//go:build !unix

package redislimit_test

import "testing"

func (s *server) pause(t *testing.T) { t.Skip("skipped: only Unix can pause a process") }

func (s *server) resume(*testing.T) {}
