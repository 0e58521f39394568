package group

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
			var q queue
			one, undo := effects(1), undos(store.Undo{})
			var data []byte
			for b.Loop() {
				for range size.effects {
					q.collect(7, 100, one, undo)
				}
				batch := q.take()
				data = batch.appendTo(data[:0])
				q.confirm(7, batch.number)
				q.takeGarbage()
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*size.effects), "ns/effect")
		})
	}
}
