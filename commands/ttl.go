package commands

import "cellserver/store"

// TTL and PTTL reply with the seconds or milliseconds until a key's time is over,
// EXPIRETIME and PEXPIRETIME with the moment, since the Unix epoch: -2 when there is no
// such key, -1 when it stays for ever. Seconds are rounded to the nearest.
var (
	_ = register(&Command{
		Name: "ttl", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey, Group: Generic, Since: "1.0.0",
		Summary: "Get the time to live for a key in seconds", Usage: "key", Complexity: "O(1)",
		Tips: nondeterministicOutput,
		Run:  func(c *Call) error { return c.replyTime(seconds, false) },
	})
	_ = register(&Command{
		Name: "pttl", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey, Group: Generic, Since: "2.6.0",
		Summary: "Get the time to live for a key in milliseconds", Usage: "key", Complexity: "O(1)",
		Tips: nondeterministicOutput,
		Run:  func(c *Call) error { return c.replyTime(milliseconds, false) },
	})
	_ = register(&Command{
		Name: "expiretime", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey, Group: Generic, Since: "7.0.0",
		Summary: "Get the expiration Unix timestamp for a key", Usage: "key", Complexity: "O(1)",
		Run: func(c *Call) error { return c.replyTime(seconds, true) },
	})
	_ = register(&Command{
		Name: "pexpiretime", Arity: 2, Flags: ReadOnly | Fast, Keys: oneKey, Group: Generic, Since: "7.0.0",
		Summary: "Get the expiration Unix timestamp for a key in milliseconds", Usage: "key", Complexity: "O(1)",
		Run: func(c *Call) error { return c.replyTime(milliseconds, true) },
	})
)

// The units of a reply, in milliseconds.
const (
	milliseconds int64 = 1
	seconds      int64 = 1000
)

// replyTime replies with the time left, or with the moment at which it is over.
func (c *Call) replyTime(unit int64, moment bool) error {
	e := c.Tx.Peek(c.Args[1])
	if !e.Exists() {
		c.Out.Int(-2)
		return nil
	}
	ms := e.TTL()
	if moment {
		ms = e.ExpireAt()
	}
	if ms == store.NoExpiry {
		c.Out.Int(-1)
		return nil
	}
	n := ms / unit
	if ms%unit*2 >= unit {
		n++
	}
	c.Out.Int(n)
	return nil
}
