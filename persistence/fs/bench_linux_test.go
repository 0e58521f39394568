package fs

import (
	"runtime"
	"slices"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// BenchmarkBesideBlockingCall measures the longest time for which another goroutine does not run, while a thread waits
// in the kernel for 20 ms and the process has one processor. It reports the median of all calls.
func BenchmarkBesideBlockingCall(b *testing.B) {
	wait := func() error { return syscall.Nanosleep(&syscall.Timespec{Nsec: 20e6}, nil) }
	for _, by := range []struct {
		name string
		call func(func() error) error
	}{
		{"direct", func(call func() error) error { return call() }},
		{"BlockingCall", newExtraProcessor().during},
	} {
		b.Run(by.name, func(b *testing.B) {
			defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
			var stop atomic.Bool
			var longest atomic.Int64
			var pauses []int64
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				for last := time.Now(); !stop.Load(); runtime.Gosched() {
					now := time.Now()
					longest.Store(max(longest.Load(), now.Sub(last).Nanoseconds()))
					last = now
				}
			}()
			for b.Loop() {
				time.Sleep(30 * time.Millisecond) // the runtime's monitor becomes idle
				longest.Store(0)
				_ = by.call(wait)
				pauses = append(pauses, longest.Load())
			}
			stop.Store(true)
			<-ended
			slices.Sort(pauses)
			b.ReportMetric(float64(pauses[len(pauses)/2])/1e6, "pause-ms")
		})
	}
}
