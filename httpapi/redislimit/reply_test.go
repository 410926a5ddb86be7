package redislimit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReplyChecker(t *testing.T) {
	for _, stream := range []string{
		"+OK\r\n", "-ERR no\r\n", ":-12\r\n", "$0\r\n\r\n", "$-1\r\n", "*-1\r\n", "*0\r\n", "_\r\n", "#t\r\n", ",1.5\r\n", "(123456789012345678901234567890\r\n",
		"*4\r\n:1\r\n:2\r\n:60000\r\n:1795244400000\r\n", "$5\r\n*9\r\n$\r\n:1\r\n", "%1\r\n+a\r\n*1\r\n$1\r\nx\r\n", "=6\r\ntxt:ab\r\n", "!3\r\nERR\r\n",
		"|1\r\n+ttl\r\n:3\r\n*1\r\n:1\r\n:2\r\n", ">2\r\n+a\r\n+b\r\n", "~1\r\n:1\r\n",
		strings.Repeat("$1000\r\n"+strings.Repeat("x", 1000)+"\r\n", 2000),
		"$1000000\r\n" + strings.Repeat("x", 1000000) + "\r\n",
		"+" + strings.Repeat("a", maxReplyBytes-len("+\r\n")) + "\r\n",
		fmt.Sprintf("*%d\r\n", maxReplyElements) + strings.Repeat(":1\r\n", maxReplyElements),
	} {
		for _, piece := range []int{len(stream), 1, 3, 7} {
			var c replyChecker
			for rest := stream; rest != ""; {
				n := min(piece, len(rest))
				c.check([]byte(rest[:n]))
				rest = rest[n:]
			}
			require.False(t, c.failed, "%.40q", stream)
			require.Zero(t, c.elements, "%.40q", stream)
			require.Zero(t, c.data)
			require.Zero(t, c.bytes, "%.40q", stream)
		}
	}
	for _, stream := range []string{
		"HTTP/1.1", "\r\n", "$1048577", "$99999999999\r\n", "*99999999999\r\n", "%32769\r\n", "|32769\r\n", "*65537\r\n", "$-2\r\n", "*-7\r\n", "$\r\n", "*\r\n", "$x\r\n", "$1-\r\n",
		"$?\r\n", "*65536\r\n*65536\r\n", "+" + strings.Repeat("a", maxReplyBytes), "*2\r\n$600000\r\n" + strings.Repeat("x", 600000) + "\r\n$600000\r\n" + strings.Repeat("x", 600000),
		"|1\r\n+a\r\n$600000\r\n" + strings.Repeat("x", 600000) + "\r\n$600000\r\n" + strings.Repeat("x", 600000),
	} {
		var c replyChecker
		require.False(t, c.check([]byte(stream)), "%.40q", stream)
		require.False(t, c.check([]byte("+OK\r\n")), "a fault stays")
	}
}

// The result does not depend on how a stream is cut into pieces.
func FuzzReplyChecker(f *testing.F) {
	f.Add("*4\r\n:1\r\n$2\r\nab\r\n", uint8(1))
	f.Add("%1\r\n+a\r\n|1\r\n*0\r\n", uint8(2))
	f.Fuzz(func(t *testing.T, stream string, piece uint8) {
		var whole, parts replyChecker
		want := whole.check([]byte(stream))
		for rest := stream; rest != ""; {
			n := min(int(piece)+1, len(rest))
			parts.check([]byte(rest[:n]))
			rest = rest[n:]
		}
		require.Equal(t, want, !parts.failed)
		require.LessOrEqual(t, whole.data, maxReplyBytes+2)
	})
}
