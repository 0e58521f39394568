package connection

import (
	"math"

	"cellserver/commands"
)

// WAIT numreplicas timeout waits until numreplicas replicas have this connection's writes, at most
// timeout milliseconds of logical time. A timeout of 0 means no limit. WAIT replies with the number
// of these replicas. A server that is alone has no replicas, so the reply is 0. Inside MULTI, WAIT
// does not wait.
//
// In a cluster no reply to a write leaves before a majority of the voters has the write. The reply to
// WAIT follows the replies to the writes before it. So WAIT replies at once with the number of
// replicas in a majority: 1 of 3 nodes, 2 of 5. Other replicas may have the writes, too.
var _ = commands.Register(&commands.Command{
	Name: "wait", Arity: 3, Flags: commands.NoScript, Group: commands.GroupGeneric,
	Categories: []string{"connection"},
	Tips:       []string{"request_policy:all_shards", "response_policy:agg_min"}, Run: wait,
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
	if t := c.Server.Control.Topology(); t != nil {
		return waitInCluster(c, t)
	}
	if replicas > 0 && !c.Conn.Transaction.Running && waits(c, timeout) {
		return commands.TryAgain
	}
	c.Out.Int(0)
	return nil
}

const errWaitOnReplica commands.Error = "ERR WAIT cannot be used with replica instances. Please also note that since Redis 4.0 if a replica " +
	"is configured to be writable (which is not the default) writes to replicas are " +
	"just local and are not propagated."

func waitInCluster(c *commands.Call, t commands.Topology) error {
	if t.Epoch() == 0 {
		return errWaitOnReplica
	}
	c.Out.Int(int64(t.View().Voters() / 2))
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
