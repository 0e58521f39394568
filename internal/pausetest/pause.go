package pausetest

import (
	"sync/atomic"
	"testing"
	"time"
)

const (
	every = 20 * time.Millisecond  // how often a meter looks at the clock
	least = 200 * time.Millisecond // a shorter pause is usual on a busy machine
)

// Meter measures the pauses of the machine.
type Meter struct{ pauses, total atomic.Int64 }

// Start measures until the test ends.
func Start(t testing.TB) *Meter {
	m, stop := &Meter{}, make(chan struct{})
	t.Cleanup(func() { close(stop) })
	go func() {
		for {
			before := time.Now()
			select {
			case <-stop:
				return
			case <-time.After(every):
				m.note(time.Since(before) - every)
			}
		}
	}()
	return m
}

// note takes the time by which a look at the clock came late.
func (m *Meter) note(late time.Duration) {
	if late >= least {
		m.total.Add(int64(late))
		m.pauses.Add(1)
	}
}

// Allows returns how much later than usual something may be that has seen all pauses. After each of them it takes again as
// long to be well.
func (m *Meter) Allows(again time.Duration) time.Duration {
	return time.Duration(m.total.Load() + m.pauses.Load()*int64(again))
}
