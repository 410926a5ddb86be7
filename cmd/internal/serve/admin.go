package serve

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"time"

	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hailmark/hailmark/cmd/internal/drain"
)

// startAdmin starts the admin listener of s at addr, if it is set. It serves until the
// process ends.
func startAdmin(addr string, s *drain.Server, m *metrics) error {
	if addr == "" {
		return nil
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if s.Draining() {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{}))
	// /debug/pprof/cmdline is left out: flags may contain a password.
	mux.HandleFunc("GET /debug/pprof/", pprof.Index)
	mux.HandleFunc("GET /debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("GET /debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("GET /debug/pprof/trace", pprof.Trace)
	admin := &http.Server{
		Handler: mux, ErrorLog: s.ErrorLog, ReadTimeout: headerTimeout,
		WriteTimeout: 5 * time.Minute, // the longest profile
	}
	go func() { s.Logger.Error("the admin listener ended", "cause", admin.Serve(listener)) }()
	s.Logger.Info("admin listener started", "admin_addr", listener.Addr().String())
	return nil
}

// checkReady returns an error unless the server with this -admin-addr is ready. An
// address without a host is the local one.
func checkReady(addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return errors.New("healthcheck needs the -admin-addr of the server, such as localhost:9090")
	}
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{}} // without a proxy
	res, err := client.Get("http://" + addr + "/readyz")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", res.Status)
	}
	return nil
}
