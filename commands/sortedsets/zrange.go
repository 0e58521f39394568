package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// ZRANGE key start stop [BYSCORE | BYLEX] [REV] [LIMIT offset count] [WITHSCORES] replies with the
// members of a range. The older commands are ZRANGE with some of these options set.
var (
	_ = registerRange("zrange", zrangeOptions{})
	_ = registerRange("zrevrange", zrangeOptions{fixed: true, reverse: true})
	_ = registerRange("zrangebyscore", zrangeOptions{fixed: true, order: scoreOrder})
	_ = registerRange("zrevrangebyscore", zrangeOptions{fixed: true, order: scoreOrder, reverse: true})
	_ = registerRange("zrangebylex", zrangeOptions{fixed: true, order: lexOrder})
	_ = registerRange("zrevrangebylex", zrangeOptions{fixed: true, order: lexOrder, reverse: true})
)

// registerRange registers a command whose name implies options.
func registerRange(name string, implied zrangeOptions) *commands.Command {
	return commands.Register(&commands.Command{
		Name: name, Arity: -4, Flags: commands.ReadOnly, Keys: commands.OneKey,
		Group: commands.GroupSortedSet, Run: zrange(implied), Cost: costOfZrange(implied),
	})
}

func costOfZrange(implied zrangeOptions) commands.Cost {
	return func(c *commands.Call) int {
		o := implied
		return costOfRange(c, c.Args[1], readSteps, func() (interval, error) { return o.parse(c.Args[2:]) })
	}
}

func zrange(implied zrangeOptions) func(c *commands.Call) error {
	return func(c *commands.Call) error {
		o := implied
		ranks, err := o.parse(c.Args[2:])
		if err != nil {
			return err
		}
		z, err := values.Read(c, c.Args[1])
		if err != nil {
			return err
		}
		lo, hi := ranks(z)
		replyRange(c, z, lo, hi, o.reverse, o.withScores)
		return nil
	}
}

// zrangeOptions are the kind of a range, its limits and the form of the reply.
type zrangeOptions struct {
	fixed         bool // the name of the command implies order and reverse
	store         bool // the command is ZRANGESTORE
	order         order
	reverse       bool
	withScores    bool
	offset, count int64
}

// order is the kind of a range: of ranks, scores or members.
type order uint8

const (
	rankOrder order = iota
	scoreOrder
	lexOrder
)

// parse parses the two ends of a range and the options after them. Errors come in the order of
// Redis.
func (o *zrangeOptions) parse(args [][]byte) (interval, error) {
	o.count = -1
	if err := o.options(args[2:]); err != nil {
		return nil, err
	}
	switch {
	case o.count != -1 && o.order == rankOrder:
		return nil, commands.Error("ERR syntax error, LIMIT is only supported in combination with " +
			"either BYSCORE or BYLEX")
	case o.withScores && o.order == lexOrder:
		return nil, commands.Error("ERR syntax error, WITHSCORES not supported in combination with BYLEX")
	}
	first, last := args[0], args[1]
	if o.order == rankOrder {
		return o.ranked(byRank(first, last))
	}
	if o.reverse {
		first, last = last, first
	}
	parse := byScore
	if o.order == lexOrder {
		parse = byLex
	}
	return o.limited(parse(first, last))
}

func (o *zrangeOptions) options(args [][]byte) (err error) {
	auto := !o.fixed
	for i := 0; i < len(args); i++ {
		switch a := args[i]; {
		case !o.store && commands.Is(a, "withscores"):
			o.withScores = true
		case commands.Is(a, "limit") && len(args) > i+2:
			if o.offset, o.count, err = commands.TwoInts(args[i+1], args[i+2]); err != nil {
				return err
			}
			i += 2
		case !o.fixed && !o.reverse && commands.Is(a, "rev"):
			o.reverse = true
		case auto && commands.Is(a, "bylex"):
			o.order, auto = lexOrder, false
		case auto && commands.Is(a, "byscore"):
			o.order, auto = scoreOrder, false
		default:
			return commands.ErrSyntax
		}
	}
	return nil
}

// ranked makes ranks count from the end if reverse is set.
func (o *zrangeOptions) ranked(ranks interval, err error) (interval, error) {
	if err != nil || !o.reverse {
		return ranks, err
	}
	return func(z store.SortedSet) (int, int) {
		lo, hi := ranks(z)
		return z.Len() - hi, z.Len() - lo
	}, nil
}

// limited applies LIMIT.
func (o *zrangeOptions) limited(ranks interval, err error) (interval, error) {
	if err != nil {
		return nil, err
	}
	return func(z store.SortedSet) (int, int) {
		lo, hi := ranks(z)
		return limitRange(lo, hi, o.reverse, o.offset, o.count)
	}, nil
}
