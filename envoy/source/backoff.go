package source

import (
	"context"
	"math/rand/v2"
	"time"
)

// A backoff waits longer after each failure.
type backoff struct{ first, longest, next time.Duration }

// reset makes the next wait the shortest one.
func (b *backoff) reset() { b.next = 0 }

// shortest is how long a wait is at least, also if the variables say 0: each failure is a line of the log.
const shortest = 100 * time.Millisecond

// wait waits, and reports false if the context ends. Half of the time is by chance.
func (b *backoff) wait(ctx context.Context) bool {
	b.next = max(shortest, min(max(2*b.next, b.first), b.longest))
	return sleep(ctx, b.next/2+rand.N(b.next/2+1))
}

// sleep waits, and reports false if the context ends.
func sleep(ctx context.Context, d time.Duration) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}
