package connection

import (
	"math"

	"cellserver/commands"
)

// WAIT numreplicas timeout waits until so many replicas have this connection's writes,
// or some milliseconds of logical time (0 for ever) have passed, and replies with how
// many have. There are none here; inside MULTI it does not wait.
var _ = commands.Register(&commands.Command{
	Name: "wait", Arity: 3, Flags: commands.NoScript, Group: commands.GroupGeneric, Since: "3.0.0", Run: wait,
	Summary: "Wait for the synchronous replication of all the write commands sent in the context of the current connection",
	Usage:   "numreplicas timeout", Complexity: "O(1)", Categories: []string{"connection"},
	Tips: []string{"request_policy:all_shards", "response_policy:agg_min"},
})

func wait(c *commands.Call) error {
	replicas, err := c.Int(1)
	if err != nil {
		return err
	}
	timeout, err := c.Timeout(2)
	if err != nil {
		return err
	}
	if replicas > 0 && !c.Conn.Transaction.Running && waits(c, timeout) {
		return commands.TryAgain
	}
	c.Out.Int(0)
	return nil
}

// waits reports whether the client still has to wait, for a timeout that began when it
// was first asked.
func waits(c *commands.Call, timeoutMillis int64) bool {
	if c.Conn.WakeAt == 0 {
		c.Conn.WakeAt, c.Conn.WakeMonotonic = math.MaxInt64, false
		if timeoutMillis > 0 && timeoutMillis < (math.MaxInt64-c.Now)/1e6 {
			c.Conn.WakeAt = c.Now + timeoutMillis*1e6
		}
	}
	return c.Now < c.Conn.WakeAt
}
