package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.ACQUIRE key limit lease holder [MS] [PEEK] takes one of limit permits for a holder. The permit
// is free again after lease seconds, or after CL.RELEASE. If the holder has a permit, CL.ACQUIRE
// renews its lease. The reply is the reply of all limiters.
//
// CL.RELEASE key holder returns a permit. It replies 1, or 0 if the holder has no permit.
//
// The state is a sorted set of holders. The score of a holder is the end of its lease in Unix
// microseconds.
var (
	_ = commands.Register(&commands.Command{
		Name: "cl.acquire", Arity: -5, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
		Run: func(c *commands.Call) error { return ask(c, limiters.ReadLease, replyAnswer) },
	})
	_ = commands.Register(&commands.Command{
		Name: "cl.release", Arity: 3, Flags: commands.Write | commands.Fast,
		Keys: commands.OneKey.With("RW ACCESS DELETE"), Group: commands.GroupLimiter, Run: clRelease,
	})
)

func clRelease(c *commands.Call) error {
	e := c.Tx.Write(c.Args[1])
	held, err := limiters.Release(&e, c.Args[2], c.Now)
	if err != nil {
		return err
	}
	c.ReplyBit(held)
	return nil
}
