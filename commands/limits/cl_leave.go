package limits

import (
	"cellserver/commands"
	"cellserver/limiters/flight"
)

// CL.LEAVE key holder [latency] [OK | DROP | IGNORE] [MS] ends a call that CL.ENTER has allowed, and
// reports how long it took, in seconds, with MS in milliseconds. Without a latency it is the time since
// CL.ENTER, if all callers of the key ask for the same lease.
//
// DROP reports a timeout, or a service that refuses because it has too much to do. IGNORE reports nothing,
// for an error of the caller or an answer of a cache.
//
// The reply is 1, or 0 if the holder has no permit, because its lease has ended. The second number is the
// limit, 0 if there is no state.
var _ = commands.Register(&commands.Command{
	Name: "cl.leave", Arity: -3, Flags: commands.Write | commands.Fast,
	Keys: commands.OneKey.With("RW ACCESS DELETE"), Group: commands.GroupLimiter, Run: clLeave,
})

func clLeave(c *commands.Call) error {
	args := &c.Conn.Scratch.Limiter().Args
	args.Begin(c.Cmd.Name, c.Args[2:])
	var r flight.Leaving
	if err := r.Read(args); err != nil {
		return args.Explain(err)
	}
	f := beginFlight(c)
	held, limit, err := f.Leave(&r)
	if err != nil {
		return err
	}
	keepWindow(c, f)
	c.Out.Ints(int64(commands.Bit(held)), limit)
	return nil
}
