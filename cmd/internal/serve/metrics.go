package serve

import (
	"runtime"
	"runtime/debug"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/problem"
)

// metrics are collected by Prometheus. All label values come from the route table, so
// a request cannot create another series.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	fallbacks prometheus.Counter

	mu     sync.RWMutex
	series map[labels]series // those of requests and durations so far, which are slow to look up
}

type labels struct {
	route  string
	status int
	code   problem.Code
}

type series struct {
	requests  prometheus.Counter
	durations prometheus.Observer
}

func newMetrics(logs *logBuffer) *metrics {
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
	return &metrics{
		registry: registry,
		series:   map[labels]series{},
		requests: create.NewCounterVec(prometheus.CounterOpts{
			Name: "hailmark_requests_total",
			Help: "Requests by route, status and error code. Those over the limit have the code rate_limited; an empty route means that no route matched.",
		}, []string{"route", "status", "code"}),
		durations: create.NewHistogramVec(prometheus.HistogramOpts{
			Name: "hailmark_request_duration_seconds", Help: "Time from the header of a request to the end of its response.",
			Buckets: []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 100e-3, 1, 10},
		}, []string{"route"}),
		fallbacks: create.NewCounter(prometheus.CounterOpts{
			Name: "hailmark_limiter_fallbacks_total", Help: "Requests counted by this replica alone, because the shared counters were not available.",
		}),
	}
}

func (m *metrics) observe(o httpapi.Observation) {
	s := m.seriesOf(labels{o.Route, o.Status, o.Code})
	s.requests.Inc()
	s.durations.Observe(o.Duration.Seconds())
	if o.UsedFallback {
		m.fallbacks.Inc()
	}
}

func (m *metrics) seriesOf(l labels) series {
	m.mu.RLock()
	s, ok := m.series[l]
	m.mu.RUnlock()
	if !ok {
		s = series{m.requests.WithLabelValues(l.route, strconv.Itoa(l.status), string(l.code)), m.durations.WithLabelValues(l.route)}
		m.mu.Lock()
		m.series[l] = s
		m.mu.Unlock()
	}
	return s
}

// version returns the version of the main module. It contains the revision unless it is
// a tag.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
