package serve

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/pprof"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hailmark/hailmark/httpapi"
)

// startAdmin starts the admin listener at addr, if it is set. It serves until the
// process ends.
func (s *server) startAdmin(addr string, m *metrics) error {
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
		if s.draining.Load() {
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
		Handler: mux, ErrorLog: serverLog(s.logger), ReadHeaderTimeout: headerTimeout, ReadTimeout: 30 * time.Second,
		WriteTimeout: 5 * time.Minute, // the longest profile
	}
	go func() { s.logger.Error("the admin listener ended", "cause", admin.Serve(listener)) }()
	s.logger.Info("admin listener started", "admin_addr", listener.Addr().String())
	return nil
}

// checkReady returns an error unless the server with this -admin-addr is ready.
func checkReady(addr string) error {
	host, port, err := net.SplitHostPort(addr)
	if err != nil {
		return errors.New("healthcheck needs the -admin-addr of the server, such as localhost:9090")
	}
	if ip := net.ParseIP(host); host == "" || ip.IsUnspecified() {
		host = "localhost"
	}
	client := http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{}} // without a proxy
	res, err := client.Get("http://" + net.JoinHostPort(host, port) + "/readyz")
	if err != nil {
		return err
	}
	defer res.Body.Close()
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("not ready: %s", res.Status)
	}
	return nil
}

// metrics are collected by Prometheus. All label values come from the route table, so
// a request cannot create another series.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	fallbacks prometheus.Counter
}

func newMetrics(logs *logBuffer) *metrics {
	b, m := readBuild(), &metrics{registry: prometheus.NewRegistry()}
	m.requests = prometheus.NewCounterVec(prometheus.CounterOpts{
		Name: "hailmark_requests_total",
		Help: "Requests by route, status and error code. Those over the limit have the code rate_limited; an empty route means that no route matched.",
	}, []string{"route", "status", "code"})
	m.durations = prometheus.NewHistogramVec(prometheus.HistogramOpts{
		Name: "hailmark_request_duration_seconds", Help: "Time from the header of a request to the end of its response.",
		Buckets: []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 100e-3, 1, 10},
	}, []string{"route"})
	m.fallbacks = prometheus.NewCounter(prometheus.CounterOpts{
		Name: "hailmark_limiter_fallbacks_total", Help: "Requests counted by this replica alone, because the shared counters were not available.",
	})
	dropped := prometheus.NewCounterFunc(prometheus.CounterOpts{
		Name: "hailmark_log_lines_dropped_total", Help: "Lines that are missing in the log, because its reader was too slow or gone.",
	}, func() float64 { return float64(logs.dropped.Load()) })
	info := prometheus.NewGaugeFunc(prometheus.GaugeOpts{
		Name: "hailmark_build_info", Help: "Always 1; the labels name the source and the compiler of the binary.",
		ConstLabels: prometheus.Labels{"version": b.version, "revision": b.revision, "goversion": b.goVersion},
	}, func() float64 { return 1 })
	m.registry.MustRegister(m.requests, m.durations, m.fallbacks, dropped, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) observe(o httpapi.Observation) {
	m.requests.WithLabelValues(o.Route, strconv.Itoa(o.Status), string(o.Code)).Inc()
	m.durations.WithLabelValues(o.Route).Observe(o.Duration.Seconds())
	if o.UsedFallback {
		m.fallbacks.Inc()
	}
}

// A build names the source and the compiler of the binary.
type build struct{ version, revision, goVersion string }

func readBuild() build {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return build{version: "unknown"}
	}
	b := build{version: info.Main.Version, goVersion: info.GoVersion}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" {
			b.revision = s.Value
		}
	}
	return b
}

func (b build) String() string {
	return strings.Join(strings.Fields("hailmark "+b.version+" "+b.revision+" "+b.goVersion), " ")
}
