package webhooktest_test

import (
	"runtime"
	"testing"

	"github.com/hailmark/hailmark/webhooknorm/webhooktest"
)

// The benchmarks simulate three years of as many people as WEBHOOKTEST_PEOPLE says.

func BenchmarkEvents(b *testing.B) {
	for b.Loop() {
		n := 0
		for range webhooktest.NewWorld(1, people(), 3*year).Events() {
			n++
		}
		b.ReportMetric(float64(n), "events/op")
	}
}

func BenchmarkWebhooks(b *testing.B) {
	for b.Loop() {
		n, bytes, heap := 0, 0, uint64(0)
		for w := range webhooktest.NewWorld(1, people(), 3*year).Webhooks() {
			bytes += len(w.Body)
			if n++; n%10_000 == 0 {
				var m runtime.MemStats
				runtime.ReadMemStats(&m)
				heap = max(heap, m.HeapAlloc)
			}
		}
		b.ReportMetric(float64(n), "webhooks/op")
		b.ReportMetric(float64(bytes>>20), "MB/op")
		b.ReportMetric(float64(heap>>20), "heap-MB")
	}
}

func BenchmarkCompare(b *testing.B) {
	w := webhooktest.NewWorld(1, people(), 3*year)
	for b.Loop() {
		webhooktest.Compare(w.Events(), func(e webhooktest.Event) []string { return []string{e.True.Name} })
	}
}
