package commands

import (
	"math"
	"math/bits"

	"cellserver/store"
)

// ZRANDMEMBER key [count [WITHSCORES]] replies with a random member, or null. With a
// count it replies with that many different ones, or as many as there are; with a
// negative count with exactly so many, which may repeat.
var _ = register(&Command{
	Name: "zrandmember", Arity: -2, Flags: ReadOnly, Keys: oneKey, Group: SortedSet, Since: "6.2.0",
	Summary: "Get one or multiple random elements from a sorted set", Usage: "key [count [WITHSCORES]]",
	Complexity: "O(N) where N is the number of elements returned",
	Tips:       nondeterministicOutput, Run: zrandmember,
})

func zrandmember(c *Call) error {
	count, withScores, err := zrandmemberArgs(c.Args[2:])
	if err != nil {
		return err
	}
	z, err := c.readSorted(c.Args[1])
	if err != nil {
		return err
	}
	one := len(c.Args) == 2
	switch {
	case z == nil && one:
		c.Out.Null()
	case z == nil:
		c.Out.Array(0)
	case one:
		c.Out.BulkString(z.At(c.random(z.Len())).Member)
	case count < 0:
		return c.randomItems(z, -count, withScores)
	case count >= int64(z.Len()):
		c.replyRange(z, 0, z.Len(), false, withScores)
	default:
		c.distinctItems(z, int(count), withScores)
	}
	return nil
}

func zrandmemberArgs(args [][]byte) (count int64, withScores bool, err error) {
	if len(args) == 0 {
		return 0, false, nil
	}
	count, ok := parseInt(args[0])
	switch {
	case !ok:
		return 0, false, errNotInteger
	case count == math.MinInt64:
		return 0, false, Error("ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807")
	case len(args) > 2 || len(args) == 2 && !is(args[1], "withscores"):
		return 0, false, errSyntax
	case len(args) == 2 && (count < -math.MaxInt64/2 || count > math.MaxInt64/2):
		return 0, false, errOutOfRange
	}
	return count, len(args) == 2, nil
}

// maxRandomReply bounds the reply to a negative count, which no set's size does, in
// bytes. Redis sends until its memory ends.
const maxRandomReply = 64 << 20

// randomItems replies with count random items, which may repeat.
func (c *Call) randomItems(z *store.SortedSet, count int64, withScores bool) error {
	if count > maxRandomReply {
		return errRandomReply
	}
	c.startItems(int(count), withScores)
	for from := c.Out.Mark(); count > 0; count-- {
		c.replyItem(z.At(c.random(z.Len())), withScores)
		if c.Out.Mark()-from > maxRandomReply {
			return errRandomReply
		}
	}
	return nil
}

const errRandomReply Error = "ERR value is out of range, the reply would be too large"

// distinctItems replies with count of the set's items, each subset being as likely as
// any other (R. Floyd's sample, Communications of the ACM 30, 1987).
func (c *Call) distinctItems(z *store.SortedSet, count int, withScores bool) {
	c.startItems(count, withScores)
	picked := make(map[int]struct{}, count)
	for n := z.Len() - count + 1; n <= z.Len(); n++ {
		rank := c.random(n)
		if _, again := picked[rank]; again {
			rank = n - 1
		}
		picked[rank] = struct{}{}
		c.replyItem(z.At(rank), withScores)
	}
}

// random returns a number from 0 to n-1.
func (c *Call) random(n int) int {
	hi, _ := bits.Mul64(c.Tx.Rand(), uint64(n))
	return int(hi)
}
