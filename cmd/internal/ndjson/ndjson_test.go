package ndjson

import (
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/stretchr/testify/require"
)

func TestReader(t *testing.T) {
	long := strings.Repeat("x", 200_000)
	tooLong := strings.Repeat("y", MaxLine+1)
	r := NewReader(strings.NewReader("a\r\n\n  b  \n" + long + "\n" + tooLong + "\nlast"))
	next := func(want string, wantNumber int) {
		line, number, err := r.Next()
		require.NoError(t, err)
		require.Equal(t, want, string(line))
		require.Equal(t, wantNumber, number)
	}
	next("a", 1)
	next("b", 3)
	next(long, 4)
	_, number, err := r.Next()
	require.ErrorIs(t, err, ErrLongLine)
	require.Equal(t, 5, number)
	next("last", 6)
	_, _, err = r.Next()
	require.ErrorIs(t, err, io.EOF)
}

// Some editors and shells write a byte order mark. Elsewhere, it's part of a line.
func TestByteOrderMark(t *testing.T) {
	const mark = "\xef\xbb\xbf"
	for text, want := range map[string]string{mark + "a": "a", mark + "\n a": "a", mark + mark + "a": mark + "a", "\n" + mark + "a": mark + "a"} {
		line, _, err := NewReader(strings.NewReader(text)).Next()
		require.NoError(t, err)
		require.Equal(t, want, string(line), "%q", text)
	}
	_, _, err := NewReader(strings.NewReader(mark)).Next()
	require.ErrorIs(t, err, io.EOF)
}

func TestReaderError(t *testing.T) {
	r := NewReader(io.MultiReader(strings.NewReader("a\nb"), iotest.ErrReader(io.ErrClosedPipe)))
	line, _, err := r.Next()
	require.NoError(t, err)
	require.Equal(t, "a", string(line))
	_, _, err = r.Next()
	require.ErrorIs(t, err, io.ErrClosedPipe)
}
