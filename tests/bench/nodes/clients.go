package nodes

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"cellserver/resp/resptest"
	"cellserver/tests/bench/server"
)

// Clients write until they are stopped. Each one follows MOVED, and asks the next server after any other
// error.
type Clients struct {
	all     []*writer
	stop    context.CancelFunc
	working sync.WaitGroup
}

// writer is one client.
type writer struct {
	key   string
	addrs []string

	mu      sync.Mutex // guards the rest
	last    time.Time  // of a reply
	longest time.Duration
}

// pause is the time of a client between two commands.
const pause = time.Millisecond

// StartClients starts clients that increment a counter each, and waits until each one has a reply.
func StartClients(ctx context.Context, n int, addrs []string) (*Clients, error) {
	working, stop := context.WithCancel(ctx)
	c := &Clients{stop: stop}
	for i := range n {
		w := &writer{key: fmt.Sprint("writer:", i), addrs: addrs}
		c.all = append(c.all, w)
		c.working.Go(func() { w.run(working) })
	}
	if err := c.Await(ctx, time.Now()); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

// Stop ends the clients.
func (c *Clients) Stop() {
	c.stop()
	c.working.Wait()
}

// Mark begins a measurement: from now on, the longest time without a reply counts.
func (c *Clients) Mark() {
	for _, w := range c.all {
		w.mu.Lock()
		w.longest = 0
		w.mu.Unlock()
	}
}

// Await waits until each client has a reply that is later than a moment.
func (c *Clients) Await(ctx context.Context, after time.Time) error {
	return await(ctx, "all clients go on", func() bool {
		return !slices.ContainsFunc(c.all, func(w *writer) bool {
			w.mu.Lock()
			defer w.mu.Unlock()
			return !w.last.After(after)
		})
	})
}

// Longest returns the longest time of a client without a reply since Mark.
func (c *Clients) Longest() (longest time.Duration) {
	for _, w := range c.all {
		w.mu.Lock()
		longest = max(longest, w.longest)
		w.mu.Unlock()
	}
	return longest
}

// run increments the counter, again and again.
func (w *writer) run(ctx context.Context) {
	var c *server.Client
	addr := w.addrs[0]
	for next := 0; ctx.Err() == nil; _ = server.Pause(ctx, pause) {
		var err error
		if c == nil {
			c, err = server.Dial(addr)
		}
		if err == nil {
			if _, err = c.Do("INCR", w.key); err == nil {
				w.replied()
				continue
			}
			c.Close()
			c = nil
		}
		var refused resptest.Error
		if errors.As(err, &refused) && Moved(refused) != "" {
			addr = Moved(refused)
			continue
		}
		next++
		addr = w.addrs[next%len(w.addrs)]
	}
	if c != nil {
		c.Close()
	}
}

func (w *writer) replied() {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := time.Now()
	if !w.last.IsZero() {
		w.longest = max(w.longest, now.Sub(w.last))
	}
	w.last = now
}
