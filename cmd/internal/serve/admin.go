package serve

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"runtime"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hailmark/hailmark/httpapi"
)

// listenAside starts an internal HTTP server, which runs until the process ends.
func listenAside(name, addr string, handler http.Handler, logger *slog.Logger) error {
	if addr == "" {
		return nil
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return fmt.Errorf("--%s-addr: %w", name, err)
	}
	server := &http.Server{
		Handler: handler, ErrorLog: serverLog(logger), ReadTimeout: headerTimeout,
		WriteTimeout: 30 * time.Second, // package pprof adds the duration of a profile
	}
	go func() { logger.Error("the "+name+" listener ended", "cause", server.Serve(listener)) }()
	logger.Info(name+" listener started", name+"_addr", listener.Addr().String())
	return nil
}

// newAdmin returns the admin listener's handler.
func newAdmin(isDraining func() bool, registry *prometheus.Registry) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if isDraining() {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(registry, promhttp.HandlerOpts{}))
	return mux
}

// newProfiles returns the pprof listener's handler. It rejects host names, so that web pages
// can't read profiles by DNS rebinding.
func newProfiles() http.Handler {
	mux := http.NewServeMux()
	// /debug/pprof/cmdline is omitted because flags may contain a password.
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/symbol", pprof.Symbol)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := strings.Trim(r.Host, "[]")
		if h, _, err := net.SplitHostPort(r.Host); err == nil {
			host = h
		}
		if _, err := netip.ParseAddr(host); err != nil && host != "localhost" {
			http.Error(w, "the host must be localhost or an IP address", http.StatusForbidden)
			return
		}
		mux.ServeHTTP(w, r)
	})
}

// metrics are the Prometheus metrics. Because their labels come from the route table, requests can't
// create other series.
type metrics struct {
	*prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	fallbacks prometheus.Counter
}

func newMetrics(logs *logQueue) *metrics {
	registry := prometheus.NewRegistry()
	registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	create := promauto.With(registry)
	create.NewCounterFunc(prometheus.CounterOpts{
		Name: "hailmark_log_lines_dropped_total", Help: "Lines that are missing in the log, because its reader was too slow or gone.",
	}, func() float64 { return float64(logs.dropped.Load()) })
	create.NewGauge(prometheus.GaugeOpts{
		Name: "hailmark_build_info", Help: "Always 1; the labels name the source and the compiler of the binary.",
		ConstLabels: prometheus.Labels{"version": version(), "goversion": runtime.Version()},
	}).Set(1)
	m := &metrics{Registry: registry}
	m.requests = create.NewCounterVec(prometheus.CounterOpts{
		Name: "hailmark_requests_total",
		Help: "Requests by route, status and error code. Those over the limit have the code rate_limited; an empty route means that no route matched.",
	}, []string{"route", "status", "code"})
	m.durations = create.NewHistogramVec(prometheus.HistogramOpts{
		Name: "hailmark_request_duration_seconds", Help: "Time from the header of a request to the end of its response.",
		Buckets: []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 100e-3, 1, 10},
	}, []string{"route"})
	m.fallbacks = create.NewCounter(prometheus.CounterOpts{
		Name: "hailmark_limiter_fallbacks_total", Help: "Requests counted by this replica alone, because the shared counters were not available.",
	})
	return m
}

func (m *metrics) count(o httpapi.Observation) {
	m.requests.WithLabelValues(o.Route, strconv.Itoa(o.Status), string(o.Code)).Inc()
	m.durations.WithLabelValues(o.Route).Observe(o.Duration.Seconds())
}

// A limiter observes how often its fallback decides.
type limiter struct {
	httpapi.Limiter
	fallbacks prometheus.Counter
}

func (l limiter) Take(ctx context.Context, client netip.Addr, class httpapi.Class) httpapi.Decision {
	d := l.Limiter.Take(ctx, client, class)
	if d.UsedFallback {
		l.fallbacks.Inc()
	}
	return d
}

// checkReady returns an error unless the server with this --admin-addr is ready.
func checkReady(addr string) error {
	if _, _, err := net.SplitHostPort(addr); err != nil {
		return errors.New("healthcheck needs the --admin-addr of the server, such as localhost:9090")
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
