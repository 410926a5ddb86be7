package testenv_test

import (
	"fmt"
	"runtime"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/internal/check/testenv"
)

// A recorder is a test that ends at its first message.
type recorder struct {
	testing.TB
	failed, skipped string
}

func (*recorder) Helper() {}

func (r *recorder) Fatalf(format string, args ...any) {
	r.failed = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func (r *recorder) Skipf(format string, args ...any) {
	r.skipped = fmt.Sprintf(format, args...)
	runtime.Goexit()
}

func needs(program string) (r recorder, path string) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		path = testenv.Needs(&r, program, "Debian package x")
	}()
	<-done
	return r, path
}

func TestNeeds(t *testing.T) {
	t.Setenv("HAILMARK_REQUIRE_TOOLS", "")
	r, path := needs("go")
	require.Empty(t, r.failed+r.skipped)
	require.NotEmpty(t, path)

	r, path = needs("./missing/program")
	require.Equal(t, "skipped: program is missing (Debian package x)", r.skipped)
	require.Empty(t, r.failed+path)

	t.Setenv("HAILMARK_REQUIRE_TOOLS", "1")
	r, path = needs("./missing/program")
	require.Equal(t, "program is missing (Debian package x), and HAILMARK_REQUIRE_TOOLS=1 requires it", r.failed)
	require.Empty(t, r.skipped+path)
}

func TestSlow(t *testing.T) {
	t.Setenv("HAILMARK_TESTS", "all")
	r := &recorder{TB: t}
	testenv.Slow(r)
	t.Setenv("HAILMARK_TESTS", "")
	ended := true
	t.Run("skipped", func(t *testing.T) {
		testenv.Slow(t)
		ended = false
	})
	require.True(t, ended, "without the switch the test is skipped")
}
