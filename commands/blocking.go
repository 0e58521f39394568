package commands

import "cellserver/store"

// KeyWaiters are the clients that wait for keys: BLPOP and the like.
type KeyWaiters interface {
	// Await makes the client of a call wait. The caller holds the partitions of the keys, and has seen that
	// no key has a value. So no value that comes later is missed.
	Await(c *Call, w KeyWait)
}

// KeyWait is what a command waits for.
type KeyWait struct {
	Keys  [][]byte
	Kind  store.Kind // the command takes from a value of this kind
	Until int64      // logical time, Unix nanoseconds; math.MaxInt64 for no end
	// Words returns the command that takes from one of the keys. The key then has a value.
	Words func(key []byte) [][]byte
}

// AwaitKeys makes a command wait. The session gets the reply when a client brings a value, or null at the
// end. A command in MULTI or in a script does not wait: AwaitKeys then returns false.
func (c *Call) AwaitKeys(w KeyWait) bool {
	if c.Conn.Transaction.Running || c.InScript {
		return false
	}
	c.Conn.Wait.Until = w.Until
	c.Server.KeyWaiters.Await(c, w)
	return true
}
