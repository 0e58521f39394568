package limits

import (
	"bytes"

	"cellserver/commands"
	"cellserver/limiters"
)

const (
	mostLimits                = 128 // of one call
	errSameKey commands.Error = "ERR each limit needs a key of its own"
)

// askAll asks limits of several keys. Either all limits consume their quantities, or none does. With CHARGE
// all do. looks says that all quantities are 0. An error is that of the limit at the index failed.
//
// The reply has limited (0 or 1) and the index of the first limit that refuses, or -1. The answers follow.
func askAll(c *commands.Call, all []limiters.Asked, o *limiters.Args, looks bool) (failed int, err error) {
	if failed, err = findAll(c, all); err != nil {
		return failed, err
	}
	refusing, err := limiters.DecideAll(all, c.Now, o.Has(limiters.OptCharge))
	if err != nil {
		return refusing, err
	}
	if peeks := o.Has(limiters.OptPeek); peeks {
		looks = true
	} else {
		limiters.ApplyAll(all, c.Now)
	}
	if refusing >= 0 || looks {
		c.Server.Stats.Commands.Decided(c.Cmd, refusing >= 0, looks)
	}
	c.Out.Array(2 + len(all))
	c.Out.Int(int64(commands.Bit(refusing >= 0)))
	c.Out.Int(int64(refusing))
	for i := range all {
		if all[i].Answer.Limited && !looks {
			c.Server.Stats.Limited.Add(c.Tx.DB(), all[i].Entry.Key())
		}
		replyAnswer(c, &all[i].Answer, o.Has(limiters.OptMS))
	}
	return 0, nil
}

// findAll finds the entries of the limits. Their keys are those of the call, in the same order.
func findAll(c *commands.Call, all []limiters.Asked) (failed int, err error) {
	i := 0
	c.Cmd.EachKey(c.Args, func(key []byte) {
		for j := range i {
			if bytes.Equal(all[j].Entry.Key(), key) {
				failed, err = i, errSameKey
			}
		}
		c.Tx.FindIn(&all[i].Entry, key, all[i].Limiter.KeepsTAT())
		i++
	})
	return failed, err
}
