package serve

import (
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"golang.org/x/sys/unix"
)

// A listener that cannot accept connections reports this in the form of the other lines,
// and accepts the connections later.
func TestTooManyOpenFiles(t *testing.T) {
	t.Parallel()
	for _, listener := range []string{"public", "admin"} {
		t.Run(listener, func(t *testing.T) {
			p := start(t, nil, "-admin-addr", "127.0.0.1:0", "-json-limit", noLimit)
			address := map[string]string{"public": p.base, "admin": p.admin(t)}[listener]
			var before unix.Rlimit
			require.NoError(t, unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, nil, &before))
			require.NoError(t, unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, &unix.Rlimit{Cur: 1, Max: before.Max}, nil))
			conn, err := net.Dial("tcp", strings.TrimPrefix(address, "http://"))
			require.NoError(t, err)
			defer conn.Close()
			require.Eventually(t, func() bool { return strings.Contains(p.logged(), "too many open files") }, time.Minute, time.Millisecond)
			require.NoError(t, unix.Prlimit(p.cmd.Process.Pid, unix.RLIMIT_NOFILE, &before, nil))
			_, err = io.WriteString(conn, "GET /nothing/here HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
			require.NoError(t, err)
			response, err := io.ReadAll(conn)
			require.NoError(t, err)
			require.Contains(t, string(response), http.StatusText(http.StatusNotFound))
			for line := range strings.Lines(p.logged()) {
				require.True(t, strings.HasPrefix(line, "time="), line)
			}
		})
	}
}
