package gcra

import "testing"

var sink Decision

func BenchmarkDecide(b *testing.B) {
	q := quota(b, 15, 30, 60)
	for _, c := range []struct {
		name          string
		tat, quantity int64
	}{
		{"fresh", 0, 1},
		{"allowed", epoch + 5*second, 1},
		{"limited", epoch + 600*second, 1},
		{"looked", epoch + 5*second, 0},
		{"refunded", epoch + 5*second, -1},
	} {
		b.Run(c.name, func(b *testing.B) {
			b.ReportAllocs()
			now := int64(epoch)
			for b.Loop() {
				sink, _ = q.Decide(c.tat, now, c.quantity)
			}
		})
	}
}

// A command makes the quota for every request, as this benchmark does.
func BenchmarkNewQuotaAndDecide(b *testing.B) {
	b.ReportAllocs()
	tat := int64(epoch)
	for b.Loop() {
		q, _ := NewQuota(15, 30, 60)
		sink, _ = q.Decide(tat, epoch, 1)
	}
}
