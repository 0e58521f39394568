package clustertest

import (
	"os"
	"runtime/pprof"
	"sync/atomic"
	"testing"
	"time"
)

// Watchdog ends the process with a dump of all goroutines if a test makes no progress for three minutes of real
// time. Call it outside the bubble. The result notes progress.
func Watchdog(t testing.TB) (progress func()) {
	var n atomic.Int64
	stop := make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() {
		last := int64(-1)
		for {
			select {
			case <-stop:
				return
			case <-time.After(3 * time.Minute):
			}
			if now := n.Load(); now == last {
				pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
				panic("clustertest: no progress for three minutes")
			} else {
				last = now
			}
		}
	}()
	return func() { n.Add(1) }
}
