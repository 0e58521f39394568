package server

import (
	"cellserver/commands"
	"cellserver/internal/topology"
	"cellserver/resp"
)

// checkCluster returns an error in cluster mode if a command or a transaction must not run on this
// node. Its keys have different slots, or another node leads their slot.
func (c *Client) checkCluster(call *commands.Call) error {
	if c.batch.epoch != 0 && (hasOneKey(call.Cmd) || c.conn.Link.Whole) {
		return nil // this node leads all slots
	}
	slot, err := slotOf(call)
	if c.conn.Link.Whole {
		err = nil
	}
	if err != nil || c.batch.epoch != 0 || c.server.control.topology == nil {
		return err
	}
	return c.elsewhere(call, slot)
}

// The errors of a script's command whose keys are not on this node.
const (
	errScriptNode commands.Error = "ERR Script attempted to access a non local key in a cluster node"
)

// checkInScript is checkCluster for a command of a script.
func (c *Client) checkInScript(call *commands.Call) error {
	slot, err := slotOf(call)
	switch {
	case err != nil && !c.conn.Link.Whole:
		return errScriptNode
	case c.batch.epoch != 0 || c.server.control.topology == nil:
		return nil
	case call.Cmd.Flags&commands.Write != 0:
		return errReadOnly
	case c.elsewhere(call, slot) != nil:
		return errScriptNode
	}
	return nil
}

// elsewhere is the function elsewhere with the view and the time of this moment.
func (c *Client) elsewhere(call *commands.Call, slot int) error {
	return elsewhere(c.server.control.topology.View(), c.server.parts.Clock.Monotonic(), call, slot)
}

// epochEnded reports whether the node has begun or stopped to lead since the batch began. Then the
// commands of the batch must not run: their time and their keys belong to another epoch. It also reports
// whether a node that follows has begun to load all its keys, because then the keys are incomplete. It is
// called while the partitions of a command are locked: both begin under all locks. It needs a cluster.
func (c *Client) epochEnded() bool {
	control := &c.server.control
	if control.epoch() != c.batch.epoch {
		return true
	}
	return c.batch.epoch == 0 && control.topology.View().State == topology.Joining
}

// refuseLocked unlocks the partitions of a command that must not run, and replies with an error.
func (c *Client) refuseLocked(call *commands.Call) resp.Status {
	c.tx.End()
	if c.tx.Since != 0 {
		c.wakeWaiting()
	}
	call.Tx = nil
	slot, _ := slotOf(call)
	err := c.elsewhere(call, slot)
	if err == nil {
		err = errClusterDown // the view is older than the epoch: the client tries again
	}
	c.refuse(call, err)
	return resp.Continue
}
