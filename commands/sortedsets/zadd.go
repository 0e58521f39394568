package sortedsets

import (
	"math"

	"cellserver/commands"
	"cellserver/store"
)

// ZADD sets the scores of members of a sorted set, and makes the set if the key is absent.
//
//		ZADD key [NX | XX] [GT | LT] [CH] [INCR] score member [score member …]
//		ZINCRBY key increment member
//
//	  - NX changes no member, and XX adds none.
//	  - GT raises scores only, and LT lowers them only.
//	  - INCR adds to the score of one member. ZINCRBY is ZADD with INCR.
//
// The reply is the number of new members. With CH it is the number of new and changed members. With INCR it
// is the new score, or null if an option forbids the change.
var (
	_ = commands.Register(&commands.Command{
		Name: "zadd", Arity: -4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupSortedSet,
		Run: func(c *commands.Call) error { return zadd(c, zaddOptions{}) }, Cost: costOfChanges,
	})
	_ = commands.Register(&commands.Command{
		Name: "zincrby", Arity: 4, Flags: commands.Write | commands.DenyOOM | commands.Fast,
		Keys: commands.UpdatedKey, Group: commands.GroupSortedSet,
		Run: func(c *commands.Call) error { return zadd(c, zaddOptions{incr: true}) },
	})
)

const errScoreNaN commands.Error = "ERR resulting score is not a number (NaN)"

type zaddOptions struct {
	nx, xx, gt, lt bool
	ch, incr       bool
}

// zadd is ZADD with options that are already set.
func zadd(c *commands.Call, o zaddOptions) error {
	pairs := c.Args[2+o.parse(c.Args[2:]):]
	if err := o.check(pairs); err != nil {
		return err
	}
	var room [4]float64
	scores, err := parseScores(room[:0], pairs)
	if err != nil {
		return err
	}

	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	if o.incr {
		return zincr(c, &e, o, scores[0], pairs[1])
	}
	added, updated := 0, 0
	for i, score := range scores {
		switch o.set(&e, score, pairs[2*i+1]) {
		case memberAdded:
			added++
		case memberUpdated:
			updated++
		}
	}
	if added+updated > 0 {
		c.Notify(commands.SortedEvents, "zadd", c.Args[1])
	}

	if o.ch {
		added += updated
	}
	c.Out.Int(int64(added))
	return nil
}

// parseScores appends the scores of pairs of a score and a member. It parses all of them before the first
// change, so that an error changes nothing.
func parseScores(to []float64, pairs [][]byte) ([]float64, error) {
	for i := 0; i < len(pairs); i += 2 {
		f, ok := commands.ParseFloat(pairs[i])
		if !ok {
			return nil, commands.ErrNotFloat
		}
		to = append(to, f)
	}
	return to, nil
}

// zincr adds to the score of a member and replies with the sum. The score of an absent member is 0.
func zincr(c *commands.Call, e *store.Entry, o zaddOptions, by float64, member []byte) error {
	sum := by
	if old, ok := e.Sorted().Score(member); ok && !o.nx {
		sum += old
	}
	if math.IsNaN(sum) {
		return errScoreNaN
	}
	switch o.set(e, sum, member) {
	case memberRefused:
		c.Out.Null()
		return nil
	case memberAdded, memberUpdated:
		c.Notify(commands.SortedEvents, "zincr", c.Args[1])
	}
	c.Out.Double(sum)
	return nil
}

// parse parses the options at the start of args, and returns their number.
func (o *zaddOptions) parse(args [][]byte) int {
	for i, a := range args {
		switch {
		case commands.Is(a, "nx"):
			o.nx = true
		case commands.Is(a, "xx"):
			o.xx = true
		case commands.Is(a, "gt"):
			o.gt = true
		case commands.Is(a, "lt"):
			o.lt = true
		case commands.Is(a, "ch"):
			o.ch = true
		case commands.Is(a, "incr"):
			o.incr = true
		default:
			return i
		}
	}
	return len(args)
}

// check returns an error if options contradict each other or the pairs after them. Errors come in
// the order of Redis.
func (o *zaddOptions) check(pairs [][]byte) error {
	switch {
	case len(pairs) == 0 || len(pairs)%2 != 0:
		return commands.ErrSyntax
	case o.nx && o.xx:
		return commands.Error("ERR XX and NX options at the same time are not compatible")
	case o.gt && o.nx || o.lt && o.nx || o.gt && o.lt:
		return commands.Error("ERR GT, LT, and/or NX options at the same time are not compatible")
	case o.incr && len(pairs) > 2:
		return commands.Error("ERR INCR option supports a single increment-element pair")
	}
	return nil
}

// outcome is the result for one member.
type outcome uint8

const (
	memberSame    outcome = iota // the score does not change
	memberRefused                // an option forbids the change
	memberAdded
	memberUpdated
)

// set sets the score of a member if the options allow it.
func (o *zaddOptions) set(e *store.Entry, score float64, member []byte) outcome {
	if o.nx || o.xx || o.gt || o.lt {
		old, present := e.Sorted().Score(member)
		if present && (o.nx || o.gt && score <= old || o.lt && score >= old) || !present && o.xx {
			return memberRefused
		}
	}
	switch added, changed := e.ZAdd(score, member); {
	case added:
		return memberAdded
	case changed:
		return memberUpdated
	}
	return memberSame
}
