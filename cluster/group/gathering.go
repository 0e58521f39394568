package group

import (
	"sync/atomic"
	"time"
)

// gathering makes a batch wait for more effects. Clients often send their next commands soon after they have
// got their replies. Without a wait, the next entry has only the changes of the other clients. So two groups
// of clients take turns for ever, with twice as many entries, and each entry costs all nodes the same.
//
// Other clients send at random, and a wait for them is useless. So after such a wait the next batch does not
// wait. After each further useless wait, more batches do not wait. One useless wait proves little: clients
// that take turns may be late once. Their next commands come together only after a wait.
type gathering struct {
	open     atomic.Bool
	expected int // effects that a batch waits for
	least    int // with fewer effects, the wait was useless
	until    int64
	pause    int // how many of the next batches do not wait
	useless  int // how many batches did not wait after the last useless wait; 0 after a useful one
}

// longestPause is the most batches that do not wait after a useless wait.
const longestPause = 7

// begin makes the next batch wait for the effects of the clients that get their replies now. answered is the
// number of effects that these clients sent before. has is the number of effects that the batch already has.
// The batch waits until a monotonic time at most.
func (g *gathering) begin(answered, has int, until int64) {
	if g.pause > 0 {
		g.pause--
		return
	}
	g.expected, g.least, g.until = has+answered, has+answered/2, until
	g.open.Store(true)
}

// end ends the wait. The batch has this number of effects. It was useless if less than half of the clients
// came.
func (g *gathering) end(effects int) {
	if !g.open.Load() || effects == 0 {
		return
	}
	g.open.Store(false)
	if effects >= g.least {
		g.useless = 0
		return
	}
	g.useless = min(2*g.useless+1, longestPause)
	g.pause = g.useless
}

// left returns how long a batch with this number of effects still waits at a monotonic time; 0 if it does
// not.
func (g *gathering) left(effects int, now int64) time.Duration {
	if !g.open.Load() || effects >= g.expected {
		return 0
	}
	return time.Duration(max(0, g.until-now))
}
