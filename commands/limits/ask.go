package limits

import (
	"cellserver/commands"
	"cellserver/internal/exact"
	"cellserver/limiters"
)

// replyFunc replies with an answer. Its times are in milliseconds if millis is set, else in
// seconds.
type replyFunc func(c *commands.Call, a *limiters.Answer, millis bool)

// ask runs a limiter's command whose key is the first argument. It reads the arguments, decides, applies the
// decision and replies. CL.PROBE and any limiter with PEEK only look, and change nothing.
func ask[L limiters.Limiter](c *commands.Call, read func(*limiters.Args) (L, error), reply replyFunc) error {
	scratch := c.Conn.Scratch.Limiter()
	args, e, a := &scratch.Args, &scratch.Entry, &scratch.Answer
	args.Begin(c.Cmd.Name, c.Args[min(2, len(c.Args)):])
	l, err := read(args)
	if err != nil {
		return args.Explain(err)
	}
	key, looks := c.Args[1], c.Cmd.Flags&commands.ReadOnly != 0
	if looks {
		*e = c.Tx.Read(key)
	} else {
		c.Tx.FindIn(e, key, l.KeepsTAT())
	}
	if err = l.Decide(e, a, c.Now, args.Quantity); err != nil {
		return args.Explain(err)
	}
	looks = looks || args.Has(limiters.OptPeek)
	if a.Changed && !looks {
		l.Apply(e, a, c.Now)
	}
	if looks = looks || args.Quantity == 0; looks || a.Limited {
		count(c, key, a.Limited, looks)
	}
	reply(c, a, args.Has(limiters.OptMS))
	return nil
}

// replyAnswer replies with the five integers of every limiter: limited, limit, remaining,
// retry_after and reset_after.
func replyAnswer(c *commands.Call, a *limiters.Answer, millis bool) {
	c.Out.Ints(int64(commands.Bit(a.Limited)), a.Limit, a.Remaining, wholeUnits(a.RetryAfter, millis), wholeUnits(a.ResetAfter, millis))
}

// wholeUnits converts nanoseconds to seconds or milliseconds, rounded up: a client that waits so
// long never retries too early. It returns Never for Never.
func wholeUnits(ns int64, millis bool) int64 {
	if millis && ns != limiters.Never {
		return exact.CeilDiv(ns, 1e6)
	}
	return limiters.Seconds(ns)
}

// count counts a decision about a key: a refusal, or a request that looked. looked is true for a request that
// consumes nothing (CL.PROBE, PEEK, a quantity of 0). Such a request does not count for CL.TOP.
func count(c *commands.Call, key []byte, limited, looked bool) {
	c.Server.Stats.Commands.Decided(c.Cmd, limited, looked)
	if limited && !looked {
		c.Server.Stats.Limited.Add(c.Tx.DB(), key)
	}
}
