package main

import (
	"io"
	"net"
	"net/http"
	"os"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// welcome returns a guest of the watch and the other end of the connection.
func welcome(t *testing.T, w *watch) (*guest, net.Conn) {
	t.Helper()
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	require.NoError(t, err)
	defer func() { require.NoError(t, listener.Close()) }()
	peer, err := net.Dial("tcp", listener.Addr().String())
	require.NoError(t, err)
	conn, err := listener.AcceptTCP()
	require.NoError(t, err)
	g := w.admit(conn)
	t.Cleanup(func() {
		_ = peer.Close()
		_ = g.Close() // again, in some tests
	})
	return g, peer
}

// started calls f in a goroutine, and returns its error when it is done. It gives f time
// to block.
func started(f func() error) <-chan error {
	done := make(chan error, 1)
	go func() { done <- f() }()
	time.Sleep(20 * time.Millisecond)
	return done
}

func TestWatch(t *testing.T) {
	t.Parallel()
	begin := time.Now()
	after := func(hours int) time.Time { return begin.Add(time.Duration(hours) * time.Hour) }
	long := make([]byte, 64<<20) // more than the buffers of both ends take

	for _, direction := range []struct {
		name string
		set  func(*guest, time.Time) error
		call func(*guest) error
	}{
		{"read", (*guest).SetReadDeadline, func(g *guest) error { _, err := io.ReadFull(g, make([]byte, 1)); return err }},
		{"write", (*guest).SetWriteDeadline, func(g *guest) error { _, err := g.Write(long); return err }},
		{"read by both", (*guest).SetDeadline, func(g *guest) error { _, err := io.ReadFull(g, make([]byte, 1)); return err }},
		{"write by both", (*guest).SetDeadline, func(g *guest) error { _, err := g.Write(long); return err }},
	} {
		t.Run(direction.name, func(t *testing.T) {
			w := newWatch()
			g, peer := welcome(t, w)
			requireWaits := func(done <-chan error) {
				select {
				case err := <-done:
					t.Fatal("it must go on, but ended with", err)
				default:
				}
			}

			require.NoError(t, direction.set(g, after(1)))
			require.NoError(t, direction.set(g, after(3)), "it is put off")
			done := started(func() error { return direction.call(g) })
			w.round(after(2))
			requireWaits(done)
			w.round(after(3))
			require.ErrorIs(t, <-done, os.ErrDeadlineExceeded)
			require.ErrorIs(t, direction.call(g), os.ErrDeadlineExceeded, "it stays over")

			require.NoError(t, direction.set(g, after(5)), "there is time again")
			done = started(func() error { return direction.call(g) })
			w.round(after(4))
			requireWaits(done)
			require.NoError(t, direction.set(g, time.Unix(1, 0)))
			require.ErrorIs(t, <-done, os.ErrDeadlineExceeded, "one in the past does not wait for the watch")

			require.NoError(t, direction.set(g, time.Time{}), "as much time as it takes")
			w.round(after(1000))
			go func() {
				_, _ = peer.Write([]byte{1})
				_, _ = io.Copy(io.Discard, peer)
			}()
			require.NoError(t, direction.call(g))
		})
	}
}

func TestWatchForgetsWhoHasGone(t *testing.T) {
	t.Parallel()
	w := newWatch()
	g, _ := welcome(t, w)
	other, _ := welcome(t, w)
	require.Len(t, w.guests, 2)
	require.True(t, w.newcomer())
	w.note(g, http.StateActive)
	w.note(other, http.StateIdle)
	require.True(t, w.newcomer(), "the other has not sent anything")
	require.NoError(t, other.Close())
	require.False(t, w.newcomer())
	require.NoError(t, g.Close())
	require.Empty(t, w.guests)
	require.Error(t, g.SetReadDeadline(time.Unix(1, 0)))
	w.round(time.Now().Add(time.Hour))
}
