package webload

import (
	"context"
	"fmt"
	"slices"
	"time"
)

// Load is what to send.
type Load struct {
	Addr        string
	Request     func(to []byte, connection, i int) []byte // appends all bytes of a request
	Connections int
	Duration    time.Duration
	Rate        float64 // requests a second of all connections; 0 is as many as the server answers
}

// Result is what came back.
type Result struct {
	Replies map[int]int // by status
	Took    []time.Duration
	Late    []time.Duration // with a rate: how late a request left although its connection was free
}

// Requests returns the number of replies.
func (r *Result) Requests() (n int) {
	for _, replies := range r.Replies {
		n += replies
	}
	return n
}

// Percentile returns a percentile of some times, 0 if there are none.
func Percentile(times []time.Duration, p float64) time.Duration {
	if len(times) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(times))
	return sorted[min(int(p*float64(len(sorted))), len(sorted)-1)]
}

// patience is how long a reply may take.
const patience = 20 * time.Second

// Drive sends the load, and waits for the last replies.
func Drive(ctx context.Context, l Load) (*Result, error) {
	poll, err := newPoller(l.Connections)
	if err != nil {
		return nil, err
	}
	defer poll.close()
	all := make([]*connection, l.Connections)
	for i := range all {
		if all[i], err = dial(l.Addr, i); err != nil {
			return nil, err
		}
		defer all[i].close()
		if err := poll.add(all[i].fd, i); err != nil {
			return nil, err
		}
	}
	d := drive{load: &l, poll: poll, all: all, begun: time.Now(), result: Result{Replies: map[int]int{}}}
	for ctx.Err() == nil {
		if more, err := d.round(); !more || err != nil {
			return &d.result, err
		}
	}
	return nil, ctx.Err()
}

// drive is a running load.
type drive struct {
	load   *Load
	poll   *poller
	all    []*connection
	begun  time.Time
	result Result
}

// round sends what is due, and reads what has arrived. It reports false if the load has ended and all replies are there.
func (d *drive) round() (more bool, err error) {
	now := time.Since(d.begun)
	waiting := 0
	for _, c := range d.all {
		due := d.due(c)
		switch {
		case c.waiting && now-c.due > patience:
			return false, fmt.Errorf("a request has no reply after %v", patience)
		case !c.waiting && due <= now && now < d.load.Duration:
			if err := d.send(c, due); err != nil {
				return false, err
			}
		}
		if c.waiting {
			waiting++
		}
	}
	ready, err := d.poll.ready()
	for i := 0; i < len(ready) && err == nil; i++ {
		err = d.read(d.all[ready[i]])
	}
	return waiting > 0 || now < d.load.Duration, err
}

// due returns when the next request of a connection is due.
func (d *drive) due(c *connection) time.Duration {
	if d.load.Rate == 0 {
		return c.free
	}
	return time.Duration((float64(c.sent*d.load.Connections) + float64(c.number)) / d.load.Rate * 1e9)
}

// send sends a request. With a rate, the time of its reply counts from the moment when it was due.
func (d *drive) send(c *connection, due time.Duration) error {
	now := time.Since(d.begun)
	if d.load.Rate == 0 {
		due = now
	} else if c.free <= due {
		d.result.Late = append(d.result.Late, now-due)
	}
	return c.send(d.load.Request, due)
}

// read reads what has arrived for a connection.
func (d *drive) read(c *connection) error {
	status, err := c.read()
	if err != nil || status == 0 {
		return err
	}
	c.free = time.Since(d.begun)
	d.result.Replies[status]++
	d.result.Took = append(d.result.Took, c.free-c.due)
	return nil
}
