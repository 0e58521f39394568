package keys

import (
	"cellserver/commands"
	"cellserver/store"
)

// TTL and PTTL reply with the seconds or milliseconds until a key expires. EXPIRETIME and
// PEXPIRETIME reply with the Unix time of the expiry. All reply -2 if the key is absent, -1 if it
// has no expiry. Seconds are rounded to the nearest second.
var (
	_ = registerTime("ttl", seconds, false, commands.NondeterministicOutput)
	_ = registerTime("pttl", milliseconds, false, commands.NondeterministicOutput)
	_ = registerTime("expiretime", seconds, true, nil)
	_ = registerTime("pexpiretime", milliseconds, true, nil)
)

func registerTime(name string, unit int64, absolute bool, tips []string) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: 2, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey,
		Group: commands.GroupGeneric, Tips: tips,
		Run: func(c *commands.Call) error { return replyTime(c, unit, absolute) },
	})
}

// The units of a reply, in milliseconds.
const (
	milliseconds int64 = 1
	seconds      int64 = 1000
)

// replyTime replies with the time until the expiry, or with the Unix time of the expiry. unit is in
// milliseconds.
func replyTime(c *commands.Call, unit int64, absolute bool) error {
	e := c.Tx.Look(c.Args[1])
	if !e.Exists() {
		c.Out.Int(-2)
		return nil
	}
	if e.ExpireAt() == store.NoExpiry {
		c.Out.Int(-1)
		return nil
	}
	ms := e.TTL()
	if absolute {
		ms = e.ExpireAt() - c.GapMillis()
	}
	n := ms / unit
	if ms%unit*2 >= unit {
		n++
	}
	c.Out.Int(n)
	return nil
}
