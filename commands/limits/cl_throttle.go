package limits

import (
	"cellserver/commands"
	"cellserver/gcra"
	"cellserver/limiters"
	"cellserver/store"
)

// CL.THROTTLE key max_burst count period [quantity [MS] [PEEK]] decides whether quantity (1)
// actions on a key may happen now. It allows count actions per period seconds, and bursts of
// max_burst+1. CL.PROBE has the same arguments and the same decision, and changes nothing.
//
// The reply has five integers: limited (0 or 1), limit, remaining, retry_after and reset_after. The
// last two are seconds, rounded up. retry_after is -1 if the action is allowed, or if it can never
// be allowed.
//
// Source: https://github.com/brandur/redis-cell
var (
	_ = commands.Register(&commands.Command{
		Name: "cl.throttle", Arity: -1, Flags: commands.Write | commands.DenyOOM | commands.Fast, Keys: commands.UpdatedKey, Group: commands.GroupLimiter,
		Summary: "Decides whether an action may happen now, and counts the action if it may (GCRA).",
		Usage:   "key max_burst count period [quantity [MS] [PEEK]]", Complexity: "O(1)", Run: clThrottle,
	})
	_ = commands.Register(&commands.Command{
		Name: "cl.probe", Arity: -1, Flags: commands.ReadOnly | commands.Fast, Keys: commands.OneKey, Group: commands.GroupLimiter,
		Summary: "Decides as CL.THROTTLE, and changes nothing.",
		Usage:   "key max_burst count period [quantity [MS]]", Complexity: "O(1)", Run: clProbe,
	})
)

func clThrottle(c *commands.Call) error {
	if len(c.Args) > throttleWords {
		return ask(c, limiters.ReadThrottle)
	}
	quota, quantity, err := throttleArgs(c.Args)
	if err != nil {
		return err
	}
	var e store.Entry
	c.Tx.WriteTATIn(&e, c.Args[1])
	tat, err := commands.Integer(&e)
	if err != nil {
		return err
	}
	d, err := quota.Decide(tat, c.Now, quantity)
	if err != nil {
		return limiters.ExplainThrottle(err, c.Args[2:])
	}
	if d.Changed {
		limiters.StoreTAT(&e, d.TAT, c.Now)
	}
	replyDecision(c, d, quantity == 0)
	return nil
}

func clProbe(c *commands.Call) error {
	if len(c.Args) > throttleWords {
		return ask(c, limiters.ReadThrottle)
	}
	quota, quantity, err := throttleArgs(c.Args)
	if err != nil {
		return err
	}
	e := c.Tx.Read(c.Args[1])
	tat, err := commands.Integer(&e)
	if err != nil {
		return err
	}
	d, err := quota.Decide(tat, c.Now, quantity)
	if err != nil {
		return limiters.ExplainThrottle(err, c.Args[2:])
	}
	replyDecision(c, d, true)
	return nil
}

// replyDecision counts the decision and replies. looked is true for a request that consumes
// nothing.
func replyDecision(c *commands.Call, d gcra.Decision, looked bool) {
	count(c, c.Args[1], d.Limited, looked)
	c.Out.Ints(int64(commands.Bit(d.Limited)), d.Limit, d.Remaining, gcra.CeilSeconds(d.RetryAfter), gcra.CeilSeconds(d.ResetAfter))
}

// throttleWords is the number of words of a call without options.
const throttleWords = 6

// throttleArgs parses the arguments as redis-cell does. Errors have the texts of redis-cell.
func throttleArgs(args [][]byte) (quota gcra.Quota, quantity int64, err error) {
	if len(args) < 5 || len(args) > throttleWords {
		return quota, 0, limiters.ErrThrottleUsage
	}
	return limiters.ThrottleNumbers(args[2:])
}
