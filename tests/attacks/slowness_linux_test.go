package attacks

import (
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// spin starts a thread that computes now and then, and returns a function that ends it. The result is how much longer the
// thread took than its time on a processor: 1 on an idle machine. It is the share of the machine that a server gets, too.
func spin() (slowness func() float64) {
	stop, result := make(chan struct{}), make(chan float64)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var took, ran time.Duration
		for {
			begun, before := time.Now(), threadTime()
			for threadTime()-before < 10*time.Millisecond {
			}
			took, ran = took+time.Since(begun), ran+threadTime()-before
			select {
			case <-stop:
				result <- max(1, float64(took)/float64(ran))
				return
			case <-time.After(40 * time.Millisecond):
			}
		}
	}()
	return func() float64 {
		close(stop)
		return <-result
	}
}

// threadTime returns the time of the calling thread on a processor.
func threadTime() time.Duration {
	const thisThread = 1 // RUSAGE_THREAD
	var usage syscall.Rusage
	if syscall.Getrusage(thisThread, &usage) != nil {
		return time.Duration(time.Now().UnixNano())
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func TestSpin(t *testing.T) {
	slowness := spin()
	time.Sleep(20 * time.Millisecond) // the thread computes in real time
	require.GreaterOrEqual(t, slowness(), 1.0)
	require.Positive(t, threadTime())
}
