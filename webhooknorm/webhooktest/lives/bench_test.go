package lives

import (
	"runtime"
	"testing"
)

// The benchmarks simulate three years of as many people as LIVES_PEOPLE says.

func BenchmarkEvents(b *testing.B) {
	for b.Loop() {
		n := 0
		for range NewWorld(1, people(), 3*year).Story(nil).events(newTruth()) {
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

func BenchmarkJudge(b *testing.B) {
	story := NewWorld(1, people(), 3*year).Story(nil)
	for b.Loop() {
		story.Judge(Results{ContactsOf: func(string) []string { return []string{"all"} }})
	}
}
