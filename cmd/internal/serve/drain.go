package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"sync/atomic"
	"time"
)

// A drainer is a server that drains when it's told to stop. It continues to serve for the delay,
// while /readyz returns 503 and every response closes its connection, so that load balancers and
// clients move on. Then it closes the listener and the idle connections, and completes the requests
// in progress.
type drainer struct {
	*http.Server
	delay, timeout time.Duration
	logger         *slog.Logger
	draining       atomic.Bool
}

// serve serves until ctx ends, then drains.
func (d *drainer) serve(ctx context.Context, l net.Listener) error {
	handler, serve := d.Handler, d.Serve
	d.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if d.draining.Load() {
			w.Header().Set("Connection", "close")
		}
		handler.ServeHTTP(w, r)
	})
	if d.TLSConfig != nil {
		serve = func(l net.Listener) error { return d.ServeTLS(l, "", "") }
	}
	served := make(chan error, 1)
	go func() { served <- serve(l) }()
	select {
	case err := <-served:
		return err
	case <-ctx.Done():
	}
	d.draining.Store(true)
	d.logger.Info("draining")
	time.Sleep(d.delay)
	timeout, cancel := context.WithTimeout(context.Background(), d.timeout)
	defer cancel()
	if err := d.Shutdown(timeout); err != nil {
		return errors.Join(fmt.Errorf("some requests were cut off: %w", err), d.Close())
	}
	d.logger.Info("stopped")
	return nil
}
