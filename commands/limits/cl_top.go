package limits

import "cellserver/commands"

// CL.TOP [n] [RESET] replies with the n (10) keys of the selected database that limiters
// limited most often, the most frequent first: arrays of a key, how many times it was
// limited, and by how much that may be too high. It is never too low. RESET begins to
// count anew.
//
// Calls that only look (CL.PROBE, PEEK, a quantity of 0) are not counted. Of a key only
// the first 256 bytes are shown.
var _ = commands.Register(&commands.Command{
	Name: "cl.top", Arity: -1, Flags: commands.AdminFlags, Group: commands.GroupLimiter,
	Summary: "The keys that were limited most often.", Usage: "[n] [RESET]",
	Complexity: "O(N) where N is the number of keys counted, at most 8192", Run: clTop,
})

const (
	defaultTop = 10
	maxTop     = 8192 // as many keys as are counted
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
			return commands.ErrSyntax
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
