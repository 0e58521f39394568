package commands

import "math"

// WAIT numreplicas timeout waits until so many replicas have this connection's writes,
// or some milliseconds of logical time (0 for ever) have passed, and replies with how
// many have. There are none here; inside MULTI it does not wait.
var _ = register(&Command{
	Name: "wait", Arity: 3, Flags: NoScript, Group: Generic, Since: "3.0.0", Run: wait,
	Summary: "Wait for the synchronous replication of all the write commands sent in the context of the current connection",
	Usage:   "numreplicas timeout", Complexity: "O(1)", Categories: []string{"connection"},
	Tips: []string{"request_policy:all_shards", "response_policy:agg_min"},
})

func wait(c *Call) error {
	replicas, err := c.Int(1)
	if err != nil {
		return err
	}
	timeout, err := c.timeout(2)
	if err != nil {
		return err
	}
	if replicas > 0 && !c.Client.inExec && c.waits(timeout) {
		return tryAgain
	}
	c.Out.Int(0)
	return nil
}

// waits reports whether the client still has to wait, for a timeout that began when it
// was first asked.
func (c *Call) waits(timeoutMillis int64) bool {
	if c.Client.wakeAt == 0 {
		c.Client.wakeAt = math.MaxInt64
		if timeoutMillis > 0 && timeoutMillis < (math.MaxInt64-c.Now)/1e6 {
			c.Client.wakeAt = c.Now + timeoutMillis*1e6
		}
	}
	return c.Now < c.Client.wakeAt
}
