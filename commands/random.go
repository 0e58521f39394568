package commands

import (
	"math"
	"math/bits"

	"cellserver/store"
)

// HRANDFIELD, SRANDMEMBER and ZRANDMEMBER share their arguments "[count [WITH…]]" and the choice of members.

// Random is the parsed call of one of these commands.
type Random struct {
	One   bool  // no count: the reply is one member
	Count int64 // negative: members may repeat
	With  bool  // the reply has what belongs to the members
}

// stepsOfRandom is how many steps ([Cost]) it takes to find a member at a random rank.
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
		return r, Error("ERR value is out of range, value must between " +
			"-9223372036854775807 and 9223372036854775807")
	case len(args) > 2 || len(args) == 2 && (with == "" || !Is(args[1], with)):
		return r, ErrSyntax
	case len(args) == 2 && (count < -math.MaxInt64/2 || count > math.MaxInt64/2):
		return r, ErrOutOfRange
	}
	return Random{Count: count, With: len(args) == 2}, nil
}

// CostOfRandom returns the [Cost] of one of these commands. with is the option's word. seek says how many
// steps it takes to find a member.
func CostOfRandom(with string, seek func(e *store.Entry) int) Cost {
	return func(c *Call) int {
		r, err := ParseRandom(c.Args[2:], with)
		if err != nil {
			return 0
		}
		count := 1
		if !r.One {
			count = int(min(max(r.Count, -r.Count), maxRandomReply))
		}
		e := c.Tx.Peek(c.Args[1])
		if r.Count > 0 {
			count = min(count, elementsOf(&e))
		}
		return StepsOfSome(&e, count, max(stepsOfRandom, seek(&e)))
	}
}

// RandomRank returns a random number from 0 to n-1.
func (c *Call) RandomRank(n int) int {
	hi, _ := bits.Mul64(c.Tx.Rand(), uint64(n))
	return int(hi)
}

// Members are the members of a value from which [Call.ReplyRandom] chooses.
type Members struct {
	Len   int
	Start func(members int) // starts the reply of so many members
	Reply func(rank int)    // writes the member of a rank
	All   func()            // writes all members
}

// ReplyRandom replies with members of a value. A call without a count gets one member, or null. Too large a
// reply is an error.
func (c *Call) ReplyRandom(r Random, m *Members) error {
	n := m.Len
	switch {
	case n == 0 && r.One:
		c.Out.Null()
	case n == 0:
		c.Out.Array(0)
	case r.One:
		m.Reply(c.RandomRank(n))
	case r.Count < 0:
		return c.repeatedRandom(-r.Count, m)
	case r.Count >= int64(n):
		m.Start(n)
		m.All()
	default:
		m.Start(int(r.Count))
		c.Distinct(int(r.Count), n, m.Reply)
	}
	return nil
}

func (c *Call) repeatedRandom(count int64, m *Members) error {
	if count > maxRandomReply {
		return errRandomReply
	}
	m.Start(int(count))
	for from := c.Out.Mark(); count > 0 && !c.Out.Over(); count-- {
		m.Reply(c.RandomRank(m.Len))
		if c.Out.Mark()-from > maxRandomReply {
			return errRandomReply
		}
	}
	return nil
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
