package progress

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestLine(t *testing.T) {
	var out strings.Builder
	l := New(&out, true)
	text := func() string { return "half" }
	l.Update(text)
	l.Clear()
	require.Empty(t, out.String(), "too early")
	l.updated = l.updated.Add(-time.Hour)
	l.Update(text)
	l.Update(text)
	l.Clear()
	l.Clear()
	require.Equal(t, "\r\x1b[Khalf\r\x1b[K", out.String())
}

func TestNoTerminal(t *testing.T) {
	l := New(nil, false)
	l.Update(func() string { panic("not shown") })
	l.Clear()
}
