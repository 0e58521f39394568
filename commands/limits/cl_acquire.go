package limits

import (
	"cellserver/commands"
	"cellserver/limiters"
)

// CL.ACQUIRE key limit lease holder [MS] [PEEK] takes one of limit permits for holder, which
// has it for lease seconds or until CL.RELEASE gives it back; the reply is that of all
// limiters. Acquiring again renews the lease.
//
// CL.RELEASE key holder gives a permit back, and replies 1; 0 if the holder had none any more.
//
// The state is a sorted set of holders. A score is when the holder's lease ends, in Unix
// microseconds.
var (
	_ = commands.Register(&commands.Command{
		Name: "cl.acquire", Arity: -5, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
		Summary: "Acquires or renews one of so many permits, which comes back by itself after a lease.",
		Usage:   "key limit lease holder [MS] [PEEK]", Complexity: "O(log(N)) where N is the number of permits in use",
		Run: func(c *commands.Call) error { return ask(c, limiters.ReadLease) },
	})
	_ = commands.Register(&commands.Command{
		Name: "cl.release", Arity: 3, Flags: commands.Write | commands.Fast, Keys: commands.OneKey.With("RW ACCESS DELETE"), Group: commands.GroupLimiter,
		Summary: "Gives back a permit that CL.ACQUIRE took.",
		Usage:   "key holder", Complexity: "O(log(N)) where N is the number of permits in use",
		Run: clRelease,
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
