package transport

import (
	"math"
	"net"
	"runtime"
	"slices"
	"syscall"
	"testing"
	"time"

	"cellserver/resp"

	"github.com/stretchr/testify/require"
)

// TestAnIdleLoopWakesNoThread: a loop that waits for its only client sleeps once for each request. No other
// thread wakes up meanwhile to look for work.
func TestAnIdleLoopWakesNoThread(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4)) // two processors are free
	s := &echoServer{}
	s.Loops = 1
	startEcho(t, s, nil)
	nc, err := net.Dial("tcp", s.addr)
	require.NoError(t, err)
	defer nc.Close()
	file, err := nc.(*net.TCPConn).File()
	require.NoError(t, err)
	defer file.Close()
	fd := int(file.Fd())
	require.NoError(t, syscall.SetNonblock(fd, false)) // so the client sleeps in the system, too

	const rounds, trips = 200, 100
	request, reply := []byte(wire("x")), make([]byte, 100)
	var all []int64 // how often threads slept, in each round
	for range rounds {
		before := sleeps(t)
		for range trips {
			_, err := syscall.Write(fd, request)
			require.NoError(t, err)
			_, err = syscall.Read(fd, reply)
			require.NoError(t, err)
		}
		all = append(all, sleeps(t)-before)
	}
	slices.Sort(all) // other work of the machine makes threads sleep more often, and seldom less often
	require.Less(t, all[rounds/4], int64(trips*5/2), "the loop and the client sleep once each: %v", all)
}

// TestABusyLoopYields: a loop that works without a break yields every few milliseconds, and not more often. So
// the runtime never finds that it has had its processor for too long.
func TestABusyLoopYields(t *testing.T) {
	const step = 100 * time.Microsecond
	times, yields := 0, 0 // how often the loop went to sleep, and yielded before
	l, err := newLoop(&host{barrier: noBarrier{}}, false, func() int64 {
		times++
		return int64(time.Hour + time.Duration(times)*step)
	})
	require.NoError(t, err)
	defer l.close()
	for range 1000 {
		before := l.poll.yielded
		woken := make(chan struct{})
		go func() {
			time.Sleep(step)
			l.poll.wake()
			close(woken)
		}()
		require.True(t, l.collect())
		<-woken
		if l.poll.yielded != before {
			yields++
		}
	}
	require.Greater(t, times, 100)
	require.Equal(t, 1+(times-1)/int(yieldEvery/step+1), yields, "%d times", times)
}

// sleeps returns how often threads of this process have gone to sleep.
func sleeps(t *testing.T) int64 {
	var used syscall.Rusage
	require.NoError(t, syscall.Getrusage(syscall.RUSAGE_SELF, &used))
	return used.Nvcsw
}

// sideBarrier answers on a goroutine of its own.
type sideBarrier struct{ noBarrier }

func (sideBarrier) Later(_, _ uint64, done func(safe bool)) (safe, now bool) {
	go done(true)
	return false, false
}

// TestALoopLetsOthersRun: a loop that goes to sleep first lets the goroutines run that a turn has woken. If
// all processors are busy, they would wait for this one.
func TestALoopLetsOthersRun(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	for name, wake := range map[string]func(l *loop){
		"for the barrier": func(l *loop) { l.askBarrier(1) },
		"a worker": func(l *loop) {
			l.host.serve = func(*Conn, resp.Status) {
				l.host.workers.Add(-1)
				l.poll.wake()
			}
			l.host.work(nil, resp.Continue)
		},
	} {
		l, err := newLoop(&host{barrier: sideBarrier{}}, false, func() int64 { return 0 })
		require.NoError(t, err)
		defer l.close()
		const trips = 1000
		least := int64(math.MaxInt64)
		for range 3 {
			before := sleeps(t)
			for range trips {
				wake(l)
				require.True(t, l.collect())
			}
			least = min(least, sleeps(t)-before)
		}
		require.Less(t, least, int64(trips)/2, name)
		require.False(t, l.yields(), name)
	}
}
