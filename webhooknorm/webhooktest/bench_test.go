package webhooktest

import (
	"runtime"
	"testing"
)

// The benchmarks simulate three years of as many people as WEBHOOKTEST_PEOPLE says.

func BenchmarkEvents(b *testing.B) {
	for b.Loop() {
		n := 0
		for range NewWorld(1, people(), 3*year).events() {
			n++
		}
		b.ReportMetric(float64(n), "events/op")
	}
}

func BenchmarkWebhooks(b *testing.B) {
	for b.Loop() {
		n, bytes, heap := 0, 0, uint64(0)
		for w := range NewWorld(1, people(), 3*year).Webhooks() {
			bytes += len(w)
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
	w := NewWorld(1, people(), 3*year)
	for b.Loop() {
		compare(w.events(), func(e event) []string { return []string{e.True.Name} }, nil)
	}
}
