package limits

import "cellserver/commands"

// CL.TOP [n] [RESET] replies with the n (10) keys of the selected database that limiters refused
// most often, highest count first. Each array has the key, the count, and the largest error of the
// count. A count is never too low. RESET then sets all counts of the database to zero.
//
// Requests that consume nothing (CL.PROBE, PEEK, a quantity of 0) do not count. The reply has at
// most the first 256 bytes of a key.
var _ = commands.Register(&commands.Command{
	Name: "cl.top", Arity: -1, Flags: commands.AdminFlags, Group: commands.GroupLimiter, Run: clTop,
})

const (
	defaultTop = 10
	maxTop     = 8192 // at most as many keys as the server counts
)

const errTop commands.Error = "ERR n must be an integer from 1 to 8192"

func clTop(c *commands.Call) error {
	args, n, reset := c.Args[1:], int64(defaultTop), false
	if len(args) > 0 && !commands.Is(args[0], "reset") {
		var ok bool
		if n, ok = commands.ParseInt(args[0]); !ok || n < 1 || n > maxTop {
			return errTop
		}
		args = args[1:]
	}
	if len(args) > 0 {
		if reset = commands.Is(args[0], "reset"); !reset || len(args) > 1 {
			return errOption(args, "CL.TOP", "RESET")
		}
	}
	top := c.Server.Stats.Limited.Top(c.Conn.DB, int(n), reset)
	c.Out.Array(len(top))
	for _, t := range top {
		c.Out.Array(3)
		c.Out.Bulk(t.Key)
		c.Out.Int(t.Times)
		c.Out.Int(t.Over)
	}
	return nil
}
