package server

import (
	"math"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/clients"
	"cellserver/store"
)

// maxThreshold is a busy-reply-threshold of thousands of years. A longer threshold means that there is none.
const maxThreshold = math.MaxInt64 / 100_000_000

// beginLong begins a long transaction. If a script has one of its partitions, beginLong returns the time at
// which the script began, otherwise 0. It waits for other long transactions.
func (c *Client) beginLong(call *commands.Call, fp *store.Footprint) (since int64) {
	const isScript = 2 // or more
	now := call.Now
	if (call.Cmd.Flags|c.conn.Transaction.Queue.Flags)&commands.RunsScript != 0 {
		c.tx.Since = max(c.server.parts.Clock.Monotonic(), isScript)
		defer func() {
			if since != 0 {
				c.tx.Since = 0
			}
		}()
	}
	if c.tx.TryBeginLong(now, c.conn.DB, fp) == 0 {
		return 0
	}
	// The script may end at any time. Its client wakes the clients that wait, so this client first notes
	// that it waits.
	c.entry.Block(clients.Held)
	since = c.tx.TryBeginLong(now, c.conn.DB, fp)
	if since == 0 || since >= isScript {
		return since
	}
	c.tx.BeginLong(now, c.conn.DB, fp)
	return 0
}

// awaitScript makes a command wait for a script that has its partitions. After busy-reply-threshold the
// command is an error, unless a server that is followed has sent it. No goroutine waits meanwhile.
func (c *Client) awaitScript(call *commands.Call, since int64) resp.Status {
	c.conn.Wait = commands.Wait{Until: math.MaxInt64}
	threshold := c.server.Config().BusyReplyThreshold
	if threshold > 0 && threshold < maxThreshold && c.follower == nil {
		until := since + threshold*1e6
		if c.server.parts.Clock.Monotonic() >= until {
			c.refuse(call, commands.ErrBusy)
			return resp.Continue
		}
		c.conn.Wait = commands.Wait{Until: until, Monotonic: true}
	}
	return resp.Retry
}

// wakeWaiting runs the commands that have waited for a script.
func (c *Client) wakeWaiting() {
	c.tx.Since = 0
	if c.server.clients.Blocked() > 0 {
		c.server.clients.WakeAll()
	}
}
