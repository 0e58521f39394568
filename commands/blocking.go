package commands

// KeyWaiters are the clients that wait for keys: BLPOP and the like.
type KeyWaiters interface {
	// Await makes the client of a call wait. The caller holds the partitions of the keys, which have no
	// value.
	Await(c *Call, w KeyWait)
}

// AwaitKeys makes a command wait until a client brings a value, or until its end. It returns false for a
// command in MULTI or in a script, which does not wait.
func (c *Call) AwaitKeys(w KeyWait) bool {
	if c.Conn.Transaction.Running || c.InScript {
		return false
	}
	c.Conn.Wait.Until = w.Until
	c.Server.KeyWaiters.Await(c, w)
	return true
}
