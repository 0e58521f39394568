package limits

import (
	"cellserver/commands"
	"cellserver/internal/exact"
	"cellserver/limiters"
)

// replyFunc replies with an answer. Its times are in milliseconds if millis is set, else in
// seconds.
type replyFunc func(c *commands.Call, a *limiters.Answer, millis bool)

// ask runs a limiter's command whose key is the first argument. It reads the arguments, decides,
// applies the decision and replies with five integers.
func ask[L limiters.Limiter](c *commands.Call, read func(*limiters.Args) (L, error)) error {
	return askWithReply(c, read, replyAnswer)
}

// askWithReply is [ask] with another reply.
func askWithReply[L limiters.Limiter](c *commands.Call, read func(*limiters.Args) (L, error), reply replyFunc) error {
	scratch := c.Conn.Scratch.Limit
	if scratch == nil {
		scratch = new(limiters.Scratch)
		c.Conn.Scratch.Limit = scratch
	}
	scratch.Args.Begin(c.Cmd.Name, c.Args[min(2, len(c.Args)):])
	return scratch.Args.Explain(askWith(c, scratch, read, reply))
}

// askWith is askWithReply with the scratch memory of the connection. CL.PROBE and any limiter with PEEK only
// look, and change nothing.
func askWith[L limiters.Limiter](c *commands.Call, scratch *limiters.Scratch, read func(*limiters.Args) (L, error), reply replyFunc) error {
	l, err := read(&scratch.Args)
	if err != nil {
		return err
	}
	looks := c.Cmd.Flags&commands.ReadOnly != 0
	if looks {
		scratch.Entry = c.Tx.Read(c.Args[1])
	} else {
		l.Find(&scratch.Entry, c.Tx, c.Args[1])
	}
	a := &scratch.Answer
	if err = l.Decide(&scratch.Entry, a, c.Now, scratch.Args.Quantity); err != nil {
		return err
	}
	looks = looks || scratch.Args.Has(limiters.OptPeek)
	if a.Changed && !looks {
		l.Apply(&scratch.Entry, a, c.Now)
	}
	count(c, c.Args[1], a.Limited, looks || scratch.Args.Quantity == 0)
	reply(c, a, scratch.Args.Has(limiters.OptMS))
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

// count counts a decision about a key. looked is true for a request that consumes nothing
// (CL.PROBE, PEEK, a quantity of 0). Such a request does not count for CL.TOP.
func count(c *commands.Call, key []byte, limited, looked bool) {
	if !limited && !looked {
		return
	}
	c.Server.Stats.Commands.Decided(c.Cmd, limited, looked)
	if limited && !looked {
		c.Server.Stats.Limited.Add(c.Tx.DB(), key)
	}
}
