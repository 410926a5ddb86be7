package redislimit

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/hailmark/hailmark/httpapi"
)

// garbled returns a limiter whose Redis answers with this text to the first command of a connection.
func garbled(t *testing.T, text, parameters string) *Limiter {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go func() {
				defer conn.Close()
				if _, err := conn.Read(make([]byte, 4<<10)); err == nil {
					_, _ = io.WriteString(conn, text)
				}
			}()
		}
	}()
	address := listener.Addr().String()
	l, err := New("redis://"+address+"?read_timeout=10ms"+strings.ReplaceAll(parameters, "ADDRESS", address), httpapi.Limits{}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = l.Close() })
	return l
}

// Whatever Redis announces or sends, the replica counts alone, and needs little memory for it.
func TestGarbage(t *testing.T) {
	texts := []string{strings.Repeat("x", 1<<22), "+" + strings.Repeat("x", 1<<22), "*3\r\n" + strings.Repeat(":1\r\n", 1<<20), "HTTP/1.1 400 Bad Request\r\n\r\n"}
	for _, kind := range "$=!*~>%|" {
		for _, size := range []string{"2000000000", "9223372036854775807", "18446744073709551615", "-2", "x", ""} {
			texts = append(texts, string(kind)+size+"\r\n", "*3\r\n:1\r\n"+string(kind)+size+"\r\n")
		}
		texts = append(texts, strings.Repeat(string(kind)+"1\r\n", 1<<20))
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var group sync.WaitGroup
	for i, text := range texts {
		for n, parameters := range []string{"", "&protocol=2", "&addr=ADDRESS", "&master_name=counters"} {
			if n >= 2 && i%10 != 0 { // clusters and Sentinel try again for longer
				continue
			}
			l := garbled(t, text, parameters)
			group.Go(func() {
				for range 3 {
					assert.True(t, l.Take(t.Context(), netip.AddrFrom4([4]byte{192, 0, 2, 1}), "").Allowed)
				}
				assert.EqualValues(t, 3, l.Fallbacks(), "%.50q", text)
			})
		}
	}
	group.Wait()
	runtime.ReadMemStats(&after)
	t.Logf("allocated %d MiB for %d texts", (after.TotalAlloc-before.TotalAlloc)>>20, len(texts))
	require.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(1<<30), "one announced string would be twice as long")
}

// A replyConn lets every reply pass that's within its bound, wherever the reads divide it, and ends
// with those that aren't.
func TestReplyBound(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var value func(depth int) (text string, memory int)
	value = func(depth int) (text string, memory int) {
		n := random.IntN(5)
		switch kind := random.IntN(7); {
		case kind < 2:
			text = fmt.Sprintf("%c%d\r\n%s\r\n", "$=!"[random.IntN(3)], n, strings.Repeat("\n", n))
		case kind < 4 && depth > 0:
			text = fmt.Sprintf("%c%d\r\n", "*~>"[random.IntN(3)], n)
			memory = n * elementBytes
			for range n {
				inner, innerMemory := value(depth - 1)
				text, memory = text+inner, memory+innerMemory
			}
		case kind < 5:
			return []string{"$-1\r\n", "*-1\r\n", "_\r\n"}[random.IntN(3)], memory
		default:
			text = fmt.Sprintf("%c%d\r\n", ":+-,#("[random.IntN(6)], n)
		}
		return text, memory
	}
	for range 5000 {
		text, memory := value(4)
		for _, missing := range []int{0, 1} {
			c := &replyConn{most: len(text) + memory - missing}
			c.left = c.most
			ok := true
			for rest := []byte(text); len(rest) > 0 && ok; {
				n := 1 + random.IntN(len(rest))
				ok = c.fits(rest[:n])
				rest = rest[n:]
			}
			require.Equal(t, missing == 0, ok, "%q", text)
			if ok {
				require.Zero(t, c.skip, "%q", text)
				require.Empty(t, c.line, "%q", text)
			}
		}
	}
}

// A scripted connection answers each command with the next text, and ends when the client waits for more.
type scripted struct {
	net.Conn
	texts [][]byte
	rest  []byte
}

func (c *scripted) Write(p []byte) (int, error) {
	if c.rest = nil; len(c.texts) > 0 {
		c.rest, c.texts = c.texts[0], c.texts[1:]
	}
	return len(p), nil
}

func (c *scripted) Read(p []byte) (int, error) {
	if len(c.rest) == 0 {
		return 0, io.EOF
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

func (*scripted) Close() error                     { return nil }
func (*scripted) SetDeadline(time.Time) error      { return nil }
func (*scripted) SetReadDeadline(time.Time) error  { return nil }
func (*scripted) SetWriteDeadline(time.Time) error { return nil }
func (*scripted) RemoteAddr() net.Addr             { return &net.TCPAddr{} }

// go-redis survives every reply.
func FuzzReplies(f *testing.F) {
	for _, text := range []string{"*3\r\n:1\r\n:1\r\n:60000\r\n", "%1\r\n+proto\r\n:3\r\n", "$5\r\nhello\r\n", ">2\r\n+x\r\n$-1\r\n", "|1\r\n+a\r\n*0\r\n:1\r\n", "=7\r\ntxt:abc\r\n", "!5\r\nERR x\r\n", "#t\r\n", ",1.5\r\n", "(12345678901234567890\r\n"} {
		f.Add([]byte(text), []byte(text))
	}
	f.Fuzz(func(t *testing.T, hello, reply []byte) {
		o := &redis.Options{DisableIdentity: true, MaintNotificationsConfig: noNotifications(), MaxRetries: -1, DialerRetries: 1, ReadTimeout: time.Second, PoolSize: 1, PipelinePoolSize: -1}
		o.Dialer = func(context.Context, string, string) (net.Conn, error) {
			return &replyConn{Conn: &scripted{texts: [][]byte{hello, reply}}, most: maxReply, left: maxReply}, nil
		}
		l := &Limiter{client: redis.NewClient(o)}
		defer func() { _ = l.client.Close() }()
		c := &call{limit: 60, wanted: 1}
		g, err := grantOf(c, l.runScript(t.Context(), takeScript.EvalSha, []*call{c})[0])
		if err == nil {
			require.LessOrEqual(t, g.requests, 1)
			require.LessOrEqual(t, g.resetIn, window)
		}
	})
}
