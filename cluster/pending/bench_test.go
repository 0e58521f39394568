package pending

import (
	"testing"

	"cellserver/store"
)

// BenchmarkBatch measures an effect from its transaction until its batch is confirmed.
func BenchmarkBatch(b *testing.B) {
	for _, size := range []struct {
		name    string
		effects int
	}{{"50", 50}, {"1024", 1024}} {
		b.Run(size.name, func(b *testing.B) {
			var q Queue
			one, undo := effects(1), undos(store.Undo{})
			var data []byte
			for b.Loop() {
				for range size.effects {
					q.Collect(7, 100, one, undo)
				}
				batch := q.Take()
				data = batch.AppendTo(data[:0])
				q.Confirm(7, batch.Number)
				q.Garbage()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size.effects), "ns/effect")
		})
	}
}
