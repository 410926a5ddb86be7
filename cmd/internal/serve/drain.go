package serve

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

// handshakeTime is how long TCP handshakes in progress may take to complete.
const handshakeTime = 500 * time.Millisecond

// silentTime is how long a connection must have been silent before it is closed. It is
// longer than a request takes to arrive.
const silentTime = 500 * time.Millisecond

// A server is an [http.Server] that shuts down without losing requests.
type server struct {
	http.Server
	delay, timeout time.Duration // -drain-delay and -drain-timeout
	logger         *slog.Logger
	draining       atomic.Bool
	unused         sync.Map // keys: each net.Conn without a request so far
}

// listen opens a plain TCP socket, because Multipath TCP lacks the option that
// refuseHandshakes sets.
func listen(ctx context.Context, addr string) (net.Listener, error) {
	var config net.ListenConfig
	config.SetMultipathTCP(false)
	return config.Listen(ctx, "tcp", addr)
}

func (s *server) serve(l net.Listener) error {
	if s.TLSConfig != nil {
		return s.ServeTLS(l, "", "")
	}
	return s.Serve(l)
}

// drain ends the server without the losses of [http.Server.Shutdown]:
//   - Shutdown closes the listener, and the kernel resets the connections in its queue.
//     drain refuses new handshakes first, and accepts the queued connections.
//   - Shutdown drops the first request of a connection. drain waits for it.
//   - Shutdown closes idle connections while requests are on their way. During a drain
//     each response closes its connection.
func (s *server) drain(l net.Listener, served <-chan error) error {
	s.draining.Store(true)
	s.logger.Info("draining")
	time.Sleep(s.delay)

	if err := refuseHandshakes(l); err != nil {
		s.logger.Warn("clients that connect at this moment may get a reset", "cause", err)
	}
	time.Sleep(handshakeTime)
	_ = l.Close()
	if err := <-served; !errors.Is(err, net.ErrClosed) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.timeout)
	defer cancel()
	time.Sleep(silentTime)
	for waiting := true; waiting && ctx.Err() == nil; time.Sleep(10 * time.Millisecond) {
		waiting = false
		s.unused.Range(func(any, any) bool { waiting = true; return false })
	}
	if err := s.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("some requests were cut off: %w", err), s.Close())
	}
	s.logger.Info("stopped")
	return nil
}

// trackUnused is an [http.Server.ConnState]. It keeps s.unused.
func (s *server) trackUnused(conn net.Conn, state http.ConnState) {
	if state != http.StateNew {
		s.unused.Delete(conn)
		return
	}
	s.unused.Store(conn, nil)
	if s.draining.Load() {
		undoRefusal(conn)
	}
}

// closeAfterResponse closes each connection after its next response during a drain.
func (s *server) closeAfterResponse(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}
