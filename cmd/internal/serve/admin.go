package serve

import (
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/http/pprof"
	"net/netip"
	"net/url"
	"strconv"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/httpapi/bound"
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
func newAdmin(isDraining func() bool, metrics *metrics) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "ok") })
	mux.HandleFunc("GET /readyz", func(w http.ResponseWriter, _ *http.Request) {
		if isDraining() {
			http.Error(w, "draining", http.StatusServiceUnavailable)
			return
		}
		fmt.Fprintln(w, "ok")
	})
	mux.Handle("GET /metrics", promhttp.HandlerFor(metrics, promhttp.HandlerOpts{}))
	return mux
}

// newProfiles returns the pprof listener's handler. It rejects host names, so that web pages
// can't read profiles by DNS rebinding.
func newProfiles() http.Handler {
	mux := http.NewServeMux()
	// /debug/pprof/cmdline is omitted because flags may contain a password.
	mux.HandleFunc("/debug/pprof/", pprof.Index)
	mux.HandleFunc("/debug/pprof/profile", pprof.Profile)
	mux.HandleFunc("/debug/pprof/trace", pprof.Trace)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		host := (&url.URL{Host: r.Host}).Hostname()
		if _, err := netip.ParseAddr(host); err != nil && host != "localhost" {
			http.Error(w, "the host is a name; use localhost or an IP address, so that web pages can't read the profiles", http.StatusForbidden)
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
	fallbacks func() uint64
	conns     func() bound.ConnStats
}

func newMetrics(logs *logQueue) *metrics {
	m := &metrics{Registry: prometheus.NewRegistry(), fallbacks: func() uint64 { return 0 }, conns: func() bound.ConnStats { return bound.ConnStats{} }}
	m.MustRegister(collectors.NewGoCollector(), collectors.NewBuildInfoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	create := promauto.With(m)
	counter := func(name, help string, count func() uint64) {
		create.NewCounterFunc(prometheus.CounterOpts{Name: name, Help: help}, func() float64 { return float64(count()) })
	}
	gauge := func(name, help string, value func() float64) {
		create.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value)
	}
	gauge("hailmark_connections_open", "Connections of clients.", func() float64 { return float64(m.conns().Open) })
	gauge("hailmark_connections_max", "The most connections that may be open at a time.", func() float64 { return float64(m.conns().Limits.Connections) })
	counter("hailmark_connections_accepted_total", "Connections that were accepted.", func() uint64 { return m.conns().Accepted })
	counter("hailmark_connections_ended_total", "Connections that were closed to make room for others.", func() uint64 { return m.conns().Ended })
	counter("hailmark_connections_rejected_total", "Connections that were closed at once, because there was no room for them.", func() uint64 { return m.conns().Rejected })
	counter("hailmark_requests_without_handler_total", "Requests that have no route, status or code, because net/http rejected them (400, 417, 431, 501, 505) or the client left in the header.", func() uint64 { return m.conns().NoHandler })
	gauge("hailmark_connections_bytes", "Memory that connections, headers and small requests hold.", func() float64 { return float64(m.conns().Held) })
	gauge("hailmark_connections_bytes_max", "The most that they may hold, half of hailmark_pool_bytes_max.", func() float64 { return float64(m.conns().Limits.Bytes) })
	pool := bound.Default()
	gauge("hailmark_pool_bytes", "Memory that large requests have taken.", func() float64 { return float64(pool.Stats().Taken) })
	gauge("hailmark_pool_bytes_max", "The most that they may take, 8/25 of GOMEMLIMIT.", func() float64 { return float64(pool.Stats().Size) })
	gauge("hailmark_pool_waiting", "Large requests in line.", func() float64 { return float64(pool.Stats().Waiting) })
	counter("hailmark_pool_ended_total", "Slow transfers that were ended for large requests in line.", func() uint64 { return pool.Stats().Ended })
	counter("hailmark_log_lines_dropped_total", "Lines that are missing in the log, because its reader was too slow or gone.", logs.dropped.Load)
	counter("hailmark_limiter_fallbacks_total", "Requests counted by this replica alone, because Redis was out of reach or could not count.", func() uint64 { return m.fallbacks() })
	m.requests = create.NewCounterVec(prometheus.CounterOpts{
		Name: "hailmark_requests_total", Help: "Requests by route, status and error code, which is rate_limited_network if an IPv6 network's limit was reached. The route is empty if none matched.",
	}, []string{"route", "status", "code"})
	m.durations = create.NewHistogramVec(prometheus.HistogramOpts{
		Name: "hailmark_request_duration_seconds", Help: "Time from the header of a request to the end of its response, without that for which its client, or room for a large request, was awaited.",
		Buckets: []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 100e-3, 1, 10},
	}, []string{"route"})
	// rate() and increase() see only what a series gains after its first scrape.
	for _, route := range httpapi.Routes() {
		m.requests.WithLabelValues(route, strconv.Itoa(http.StatusInternalServerError), string(httpapi.CodeInternal))
		m.requests.WithLabelValues(route, strconv.Itoa(http.StatusServiceUnavailable), string(httpapi.CodeOverloaded))
		m.durations.WithLabelValues(route)
	}
	return m
}

// count counts a request.
func (m *metrics) count(o httpapi.Observation) {
	code := string(o.Code)
	if o.Network {
		code = "rate_limited_network"
	}
	m.requests.WithLabelValues(o.Route, strconv.Itoa(o.Status), code).Inc()
	m.durations.WithLabelValues(o.Route).Observe(o.Duration.Seconds())
}

// watch exposes when a certificate expires.
func (m *metrics) watch(c *certificate) {
	promauto.With(m).NewGaugeFunc(prometheus.GaugeOpts{
		Name: "hailmark_certificate_expiry_timestamp_seconds", Help: "When the certificate in use expires, as a Unix time.",
	}, func() float64 { return float64(c.expiry().Unix()) })
}

// checkReady returns an error unless the server with this --admin-addr is ready.
func checkReady(addr string) error {
	if addr == "" {
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
