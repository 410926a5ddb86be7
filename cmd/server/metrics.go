package main

import (
	"context"
	"net/http"
	"strconv"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/hailmark/hailmark/httpapi"
	"github.com/hailmark/hailmark/problem"
)

// metrics are what Prometheus collects. All labels are words of the route table: no
// request, however odd, makes a new series beyond those.
type metrics struct {
	registry  *prometheus.Registry
	requests  *prometheus.CounterVec
	durations *prometheus.HistogramVec
	fallbacks prometheus.Counter

	mu     sync.RWMutex
	series map[seriesKey]series // found already, for to find them by their labels is slow
}

type seriesKey struct {
	route  string
	status int
	code   problem.Code
}

type series struct {
	requests prometheus.Counter
	duration prometheus.Observer
}

func newMetrics(b build) *metrics {
	m := &metrics{
		series:   map[seriesKey]series{},
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "hailmark_requests_total",
			Help: `Requests by route, status and error code. Those over the limit have the code rate_limited; route "" is none that exists.`,
		}, []string{"route", "status", "code"}),
		durations: prometheus.NewHistogramVec(prometheus.HistogramOpts{
			Name:    "hailmark_request_duration_seconds",
			Help:    "Time from a request's header to the end of its answer.",
			Buckets: []float64{50e-6, 100e-6, 250e-6, 500e-6, 1e-3, 2.5e-3, 5e-3, 10e-3, 25e-3, 100e-3, 1, 10},
		}, []string{"route"}),
		fallbacks: prometheus.NewCounter(prometheus.CounterOpts{
			Name: "hailmark_limiter_fallbacks_total",
			Help: "Requests counted by this replica alone, because the shared counters were out of reach.",
		}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{
		Name:        "hailmark_build_info",
		Help:        "Always 1; the labels say what the binary was built from.",
		ConstLabels: prometheus.Labels{"version": b.version, "revision": b.revision, "goversion": b.goVersion},
	})
	info.Set(1)
	m.registry.MustRegister(m.requests, m.durations, m.fallbacks, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	return m
}

func (m *metrics) observe(_ context.Context, o httpapi.Observation) {
	key := seriesKey{o.Route, o.Status, o.Code}
	m.mu.RLock()
	found, ok := m.series[key]
	m.mu.RUnlock()
	if !ok {
		found = series{
			m.requests.WithLabelValues(o.Route, strconv.Itoa(o.Status), string(o.Code)),
			m.durations.WithLabelValues(o.Route),
		}
		m.mu.Lock()
		m.series[key] = found
		m.mu.Unlock()
	}
	found.requests.Inc()
	found.duration.Observe(o.Duration.Seconds())
	if o.Fallback {
		m.fallbacks.Inc()
	}
}

func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{})
}
