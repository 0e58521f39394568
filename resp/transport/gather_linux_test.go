package transport

import (
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// groupBarrier ends a group when somebody asks again.
type groupBarrier struct {
	*gateBarrier
	asked int
}

func (b *groupBarrier) Gather() (again time.Duration) {
	b.mu.Lock()
	if len(b.waiting) == 0 {
		b.mu.Unlock()
		return 0
	}
	b.asked++
	first := b.asked%2 == 1
	b.mu.Unlock()
	if first {
		return 100 * time.Microsecond
	}
	b.free(true)
	return 0
}

// A loop asks again after the time that Gather returns, though no client sends anything.
func TestALoopGathers(t *testing.T) {
	s := &echoServer{}
	s.Loops = 1
	b := &groupBarrier{gateBarrier: &gateBarrier{calls: make(chan struct{}, 100)}}
	s.Barrier = b
	startHeld(t, s, false)
	c := resptest.Dial(t, s.addr)
	for range 50 {
		require.Equal(t, []any{"SET", "a"}, c.Do("SET", "a"))
		<-b.calls
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	require.GreaterOrEqual(t, b.asked, 100)
}
