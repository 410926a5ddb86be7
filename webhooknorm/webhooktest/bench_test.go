package webhooktest_test

import (
	"testing"
	"time"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

func BenchmarkEvents(b *testing.B) {
	for b.Loop() {
		n := 0
		for range webhooktest.NewWorld(1, 1000, 3*365*24*time.Hour).Events() {
			n++
		}
		b.ReportMetric(float64(n), "events/op")
	}
}

func BenchmarkWebhooks(b *testing.B) {
	for b.Loop() {
		n := 0
		for range webhooktest.NewWorld(1, 1000, 3*365*24*time.Hour).Webhooks() {
			n++
		}
		b.ReportMetric(float64(n), "webhooks/op")
	}
}

func BenchmarkCompare(b *testing.B) {
	w := webhooktest.NewWorld(1, 1000, 3*365*24*time.Hour)
	for b.Loop() {
		webhooktest.Compare(w.Events(), func(e webhooktest.Event) []string { return []string{e.True.Name} })
	}
}
