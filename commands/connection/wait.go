package connection

import (
	"math"

	"cellserver/commands"
)

// WAIT numreplicas timeout waits until numreplicas replicas have this connection's writes, at most
// timeout milliseconds of logical time. A timeout of 0 means no limit. WAIT replies with the number
// of these replicas: always 0, because there are no replicas. Inside MULTI, WAIT does not wait.
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

// waits reports whether the client must wait longer. The timeout begins with the first try.
func waits(c *commands.Call, timeoutMillis int64) bool {
	until := &c.Conn.Wait.Until
	if *until == 0 {
		*until = math.MaxInt64
		if timeoutMillis > 0 && timeoutMillis < (math.MaxInt64-c.Now)/1e6 {
			*until = c.Now + timeoutMillis*1e6
		}
	}
	return c.Now < *until
}
