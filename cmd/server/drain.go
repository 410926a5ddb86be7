package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"
)

// quietTime is how long a connection must have been silent to be closed: longer than
// a request is on its way.
const quietTime = 500 * time.Millisecond

// drain ends the service without losing a request that it has taken. First it says
// that it is not ready and goes on, so that balancers send no more. Then the door is
// closed. From the start each answer has ended its connection, so what is left after
// a moment are requests that take long, idle connections, and newcomers that have
// not said anything yet. [http.Server.Shutdown] waits for the first and closes the
// second, but it drops a newcomer whose request arrives after its call; so we wait
// for these ourselves, which their header timeout bounds.
func (s *service) drain(served <-chan error) error {
	s.leaving.Store(true)
	s.logger.Info("draining")
	time.Sleep(s.opts.drainDelay)

	if err := s.door.close(s.logger); err != nil {
		return err
	}
	if err := <-served; !errors.Is(err, errClosed) {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), s.opts.drainTimeout)
	defer cancel()
	s.waitForNewcomers(ctx)
	if err := s.public.Shutdown(ctx); err != nil {
		return errors.Join(fmt.Errorf("some requests were cut off: %w", err), s.public.Close())
	}
	s.logger.Info("stopped")
	return nil
}

// sayGoodbye ends connections with their next answer once the service is leaving.
func (s *service) sayGoodbye(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if s.leaving.Load() {
			w.Header().Set("Connection", "close")
		}
		next.ServeHTTP(w, r)
	})
}

// waitForNewcomers waits for quietTime and then until there is no newcomer.
func (s *service) waitForNewcomers(ctx context.Context) {
	tick := time.NewTicker(quietTime)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
		if !s.watch.newcomer() {
			return
		}
		tick.Reset(10 * time.Millisecond)
	}
}
