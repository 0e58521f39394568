package commands

import (
	"math"
	"math/bits"
)

// HRANDFIELD, SRANDMEMBER and ZRANDMEMBER share their arguments "[count [WITH…]]" and the choice of members.

// Random is the parsed call of one of these commands.
type Random struct {
	One   bool  // no count: the reply is one member
	Count int64 // negative: members may repeat
	With  bool  // the reply has what belongs to the members
}

// stepsOfRandom is how many steps ([Call.TakesSteps]) it takes to find a member at a random rank.
const stepsOfRandom = 10

// maxRandomReply bounds the reply to a negative count, in bytes. The size of the value does not bound
// that reply. Redis sends until it runs out of memory.
const maxRandomReply = 64 << 20

const errRandomReply Error = "ERR value is out of range, the reply would be too large"

// ParseRandom parses the arguments after the key. with is the option's word, "" if there is none.
func ParseRandom(args [][]byte, with string) (r Random, err error) {
	if len(args) == 0 {
		return Random{One: true}, nil
	}
	count, ok := ParseInt(args[0])
	switch {
	case !ok:
		return r, ErrNotInteger
	case count == math.MinInt64:
		return r, Error("ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807")
	case len(args) > 2 || len(args) == 2 && (with == "" || !Is(args[1], with)):
		return r, ErrSyntax
	case len(args) == 2 && (count < -math.MaxInt64/2 || count > math.MaxInt64/2):
		return r, ErrOutOfRange
	}
	return Random{Count: count, With: len(args) == 2}, nil
}

// StepsOfRandom returns a function for [Command.Steps].
func StepsOfRandom(with string) func(args [][]byte) int {
	return func(args [][]byte) int {
		r, _ := ParseRandom(args[2:], with)
		return r.steps(0)
	}
}

// steps returns how many steps the call takes. seek is how many it takes to find one member.
func (r Random) steps(seek int) int {
	return max(stepsOfRandom, seek) * int(min(max(r.Count, -r.Count), maxRandomReply))
}

// RandomRank returns a random number from 0 to n-1.
func (c *Call) RandomRank(n int) int {
	hi, _ := bits.Mul64(c.Tx.Rand(), uint64(n))
	return int(hi)
}

// Members are the members of a value from which [Call.ReplyRandom] chooses.
type Members struct {
	Len   int
	Seek  int                          // how many steps it takes to find one
	Start func(members int)            // starts the reply of so many members
	Reply func(out *Copying, rank int) // writes the member of a rank
	All   func(out *Copying)           // writes all members
}

// ReplyRandom replies with members of a value. A call without a count gets one member, or null. Too large a reply is an error.
func (c *Call) ReplyRandom(r Random, m *Members) error {
	n, out := m.Len, c.Copying()
	switch {
	case n == 0 && r.One:
		c.Out.Null()
		return nil
	case n == 0:
		c.Out.Array(0)
		return nil
	case r.One:
		m.Reply(&out, c.RandomRank(n))
		return out.Err
	}
	if err := c.TakesSteps(r.steps(m.Seek)); err != nil {
		return err
	}
	switch {
	case r.Count < 0:
		return c.repeatedRandom(-r.Count, m, &out)
	case r.Count >= int64(n):
		if err := c.TakesSteps(n); err != nil {
			return err
		}
		m.Start(n)
		m.All(&out)
	default:
		m.Start(int(r.Count))
		c.Distinct(int(r.Count), n, func(rank int) { m.Reply(&out, rank) })
	}
	return out.Err
}

func (c *Call) repeatedRandom(count int64, m *Members, out *Copying) error {
	if count > maxRandomReply {
		return errRandomReply
	}
	m.Start(int(count))
	for from := c.Out.Mark(); count > 0 && out.Err == nil && !c.Out.Over(); count-- {
		m.Reply(out, c.RandomRank(m.Len))
		if c.Out.Mark()-from > maxRandomReply {
			return errRandomReply
		}
	}
	return out.Err
}

// Distinct calls do with count different ranks below n. Every subset has the same probability.
//
// Source: R. Floyd, Communications of the ACM 30, 1987
func (c *Call) Distinct(count, n int, do func(rank int)) {
	picked := make(map[int]struct{}, count)
	for last := n - count; last < n; last++ {
		rank := c.RandomRank(last + 1)
		if _, taken := picked[rank]; taken {
			rank = last
		}
		picked[rank] = struct{}{}
		do(rank)
	}
}
