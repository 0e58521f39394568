package commands

// KeyWaiters are the clients that wait for keys: BLPOP and the like.
type KeyWaiters interface {
	// Await makes the client of a call wait. The caller holds the partitions of the keys, which have no
	// value.
	Await(c *Call, w KeyWait)
}

// AwaitKeys makes a command wait until a client brings a value, or until its end. A command in MULTI or in a
// script does not wait: null writes its reply.
func (c *Call) AwaitKeys(w KeyWait, null func()) error {
	if c.Conn.Transaction.Running || c.InScript {
		null()
		return nil
	}
	c.Conn.Wait = Wait{Until: w.Until} // it may have waited for a script before
	c.Server.KeyWaiters.Await(c, w)
	return TryAgain
}
