package serve

import (
	"runtime"
	"runtime/debug"
	"strconv"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promauto"

	"github.com/hailmark/hailmark/httpapi"
)

// metrics are collected by Prometheus. All label values come from the route table, so
// a request cannot create another series.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	fallbacks prometheus.Counter
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
	m.requests.WithLabelValues(o.Route, strconv.Itoa(o.Status), string(o.Code)).Inc()
	m.durations.WithLabelValues(o.Route).Observe(o.Duration.Seconds())
	if o.UsedFallback {
		m.fallbacks.Inc()
	}
}

// version returns the version of the main module. It contains the revision unless it is
// a tag.
func version() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Version
	}
	return "unknown"
}
