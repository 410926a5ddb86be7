package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"
)

// serveAdmin answers operators on a listener of its own, which needs no protection
// from load, but from the public: bind it to an address that only operators reach.
// The function that it returns ends it.
func (s *service) serveAdmin(m *metrics) (end func(), err error) {
	listener, err := net.Listen("tcp", s.opts.adminAddr)
	if err != nil {
		return nil, fmt.Errorf("-admin-addr: %w", err)
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if s.leaving.Load() {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", m.handler())
	// Without cmdline, for flags may hold a password.
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: headerTimeout,
		ReadTimeout:       requestTimeout,
		WriteTimeout:      5 * time.Minute, // of a long profile
		IdleTimeout:       idleTimeout,
		ErrorLog:          serverLog(s.logger),
	}
	go func() {
		if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
			s.logger.Error("the admin listener ended", "cause", err)
		}
	}()
	s.logger.Info("operators' listener", "admin_addr", listener.Addr().String())
	return func() { _ = server.Close() }, nil
}

const healthcheckTimeout = 2 * time.Second

// askReady asks the server that listens for operators at addr whether it is ready.
func askReady(ctx context.Context, addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return errors.New("healthcheck needs the -admin-addr of the server, as in localhost:9090")
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "localhost"
	}
	ctx, cancel := context.WithTimeout(ctx, healthcheckTimeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+net.JoinHostPort(host, port)+"/readyz", nil)
	if err != nil {
		return err
	}
	res, err := http.DefaultTransport.RoundTrip(req) // no proxy, no redirect
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", res.Status)
	}
	return nil
}
