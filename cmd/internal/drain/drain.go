// Package drain shuts down an HTTP server without losing requests.
package drain

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"
)

// pause is how long TCP handshakes in progress may take to complete, and how long a
// connection must have been silent before it is closed. A request takes less to arrive.
const pause = 500 * time.Millisecond

// A Server is an [http.Server] that shuts down without losing requests. It sets
// ConnState itself.
type Server struct {
	http.Server
	Delay   time.Duration // how long it keeps serving before it shuts down
	Timeout time.Duration // how long it then waits for requests in progress
	Logger  *slog.Logger

	draining atomic.Bool
	unused   sync.Map // keys: each net.Conn without a request so far
}

// Listen opens a plain TCP socket, because Multipath TCP lacks the option that
// refuseHandshakes sets.
func Listen(ctx context.Context, addr string) (net.Listener, error) {
	var config net.ListenConfig
	config.SetMultipathTCP(false)
	return config.Listen(ctx, "tcp", addr)
}

// Run serves until ctx ends, and then drains. With a TLSConfig it serves HTTPS.
func (s *Server) Run(ctx context.Context, l net.Listener) error {
	s.Handler, s.ConnState = s.closeAfterResponse(s.Handler), s.trackUnused
	served := make(chan error, 1)
	go func() {
		if s.TLSConfig != nil {
			served <- s.ServeTLS(l, "", "")
		} else {
			served <- s.Serve(l)
		}
	}()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
		return s.drain(l, served)
	}
}

// Draining reports whether the server is about to end.
func (s *Server) Draining() bool { return s.draining.Load() }

// drain ends the server without the losses of [http.Server.Shutdown]:
//   - Shutdown closes the listener, and the kernel resets the connections in its queue.
//     drain refuses new handshakes first, and accepts the queued connections.
//   - Shutdown drops the first request of a connection. drain waits for it.
//   - Shutdown closes idle connections while requests are on their way. During a drain
//     each response closes its connection.
func (s *Server) drain(l net.Listener, served <-chan error) error {
	s.draining.Store(true)
	s.Logger.Info("draining")
	time.Sleep(s.Delay)

	if err := refuseHandshakes(l); err != nil {
		s.Logger.Warn("clients that connect at this moment may get a reset", "cause", err)
	}
	time.Sleep(pause)
	_ = l.Close()
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.Timeout)
	defer cancel()
	time.Sleep(pause)
	for waiting := true; waiting && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		waiting = false
		s.unused.Range(func(any, any) bool { waiting = true; return false })
	}
	if err := s.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("some requests were cut off: %w", err), s.Close())
	}
	s.Logger.Info("stopped")
	return nil
}

// trackUnused is an [http.Server.ConnState]. It keeps s.unused.
func (s *Server) trackUnused(conn net.Conn, state http.ConnState) {
	if state != http.StateNew {
		s.unused.Delete(conn)
		return
	}
	s.unused.Store(conn, nil)
	if s.Draining() {
		undoRefusal(conn)
	}
}

// closeAfterResponse closes each connection after its next response during a drain.
func (s *Server) closeAfterResponse(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.Draining() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
