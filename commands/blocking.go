package commands

// waitState says why a client's command has not run yet.
type waitState = uint32

const (
	running    waitState = iota
	waiting              // the command itself waits: WAIT
	held                 // CLIENT PAUSE holds it back
	wokenQuiet           // CLIENT UNBLOCK ended the waiting as a timeout would
	wokenError           // CLIENT UNBLOCK ended the waiting with an error
)

const errUnblocked Error = "UNBLOCKED client unblocked via CLIENT UNBLOCK"

// Blocked returns the number of clients whose command waits.
func (s *Server) Blocked() int64 { return s.blocked.Load() }

// blocked reports whether the client's command waits. Any goroutine may ask.
func (c *Client) blocked() bool { return c.waiting.Load() != running }

// block notes that the command at hand will be tried again.
func (c *Client) block(why waitState) {
	if c.waiting.CompareAndSwap(running, why) {
		c.server.blocked.Add(1)
		return
	}
	c.waiting.CompareAndSwap(held, why)
}

// resume ends the waiting, if there was any.
func (c *Client) resume() {
	if c.blocked() {
		c.waiting.Store(running)
		c.wakeAt = 0
		c.server.blocked.Add(-1)
	}
}

// woken says what CLIENT UNBLOCK wants of a waiting command: nothing; that it ends as
// if its time were over; or an error in its place.
func (c *Client) woken() error {
	switch c.waiting.Load() {
	case wokenQuiet:
		c.wakeAt = 1 // long ago
	case wokenError:
		return errUnblocked
	}
	return nil
}

// unblock is CLIENT UNBLOCK, called by another client's goroutine.
func (c *Client) unblock(how waitState) bool { return c.waiting.CompareAndSwap(waiting, how) }
