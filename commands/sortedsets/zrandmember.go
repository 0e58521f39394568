package sortedsets

import (
	"math"
	"math/bits"

	"cellserver/commands"
	"cellserver/store"
)

// ZRANDMEMBER key [count [WITHSCORES]] replies with a random member, or null. With a positive count
// it replies with count different members, at most all. With a negative count it replies with
// exactly -count members, which may repeat.
var _ = commands.Register(&commands.Command{
	Name: "zrandmember", Arity: -2, Flags: commands.ReadOnly | commands.Linear, Keys: commands.OneKey, Group: commands.GroupSortedSet, Since: "6.2.0",
	Summary: "Get one or multiple random elements from a sorted set", Usage: "key [count [WITHSCORES]]",
	Complexity: "O(N) where N is the number of elements returned",
	Tips:       commands.NondeterministicOutput, Run: zrandmember, Steps: zrandmemberSteps,
})

func zrandmember(c *commands.Call) error {
	count, withScores, err := zrandmemberArgs(c.Args[2:])
	if err != nil {
		return err
	}
	z, err := readSorted(c, c.Args[1])
	if err != nil {
		return err
	}
	if err := c.TakesSteps(zrandmemberSteps(c.Args)); err != nil {
		return err
	}
	one := len(c.Args) == 2
	switch {
	case z == nil && one:
		c.Out.Null()
	case z == nil:
		c.Out.Array(0)
	case one:
		c.Out.BulkString(z.At(random(c, z.Len())).Member)
	case count < 0:
		return randomItems(c, z, -count, withScores)
	case count >= int64(z.Len()):
		replyRange(c, z, 0, z.Len(), false, withScores)
	default:
		distinctItems(c, z, int(count), withScores)
	}
	return nil
}

func zrandmemberSteps(args [][]byte) int {
	count, _, _ := zrandmemberArgs(args[2:])
	return changeSteps * int(min(max(count, -count), maxRandomReply))
}

func zrandmemberArgs(args [][]byte) (count int64, withScores bool, err error) {
	if len(args) == 0 {
		return 0, false, nil
	}
	count, ok := commands.ParseInt(args[0])
	switch {
	case !ok:
		return 0, false, commands.ErrNotInteger
	case count == math.MinInt64:
		return 0, false, commands.Error("ERR value is out of range, value must between -9223372036854775807 and 9223372036854775807")
	case len(args) > 2 || len(args) == 2 && !commands.Is(args[1], "withscores"):
		return 0, false, commands.ErrSyntax
	case len(args) == 2 && (count < -math.MaxInt64/2 || count > math.MaxInt64/2):
		return 0, false, commands.ErrOutOfRange
	}
	return count, len(args) == 2, nil
}

// maxRandomReply bounds the reply to a negative count, in bytes. The size of the set does not bound
// that reply. Redis sends until it runs out of memory.
const maxRandomReply = 64 << 20

// randomItems replies with count random items, which may repeat. Too large a reply is an error.
func randomItems(c *commands.Call, z *store.SortedSet, count int64, withScores bool) error {
	if count > maxRandomReply {
		return errRandomReply
	}
	startItems(c, int(count), withScores)
	for from := c.Out.Mark(); count > 0 && !c.Out.Over(); count-- {
		replyItem(c, z.At(random(c, z.Len())), withScores)
		if c.Out.Mark()-from > maxRandomReply {
			return errRandomReply
		}
	}
	return nil
}

const errRandomReply commands.Error = "ERR value is out of range, the reply would be too large"

// distinctItems replies with count different items of the set. Every subset has the same
// probability.
//
// Source: R. Floyd, Communications of the ACM 30, 1987
func distinctItems(c *commands.Call, z *store.SortedSet, count int, withScores bool) {
	startItems(c, count, withScores)
	picked := make(map[int]struct{}, count)
	for n := z.Len() - count + 1; n <= z.Len(); n++ {
		rank := random(c, n)
		if _, taken := picked[rank]; taken {
			rank = n - 1
		}
		picked[rank] = struct{}{}
		replyItem(c, z.At(rank), withScores)
	}
}

// random returns a random number from 0 to n-1.
func random(c *commands.Call, n int) int {
	hi, _ := bits.Mul64(c.Tx.Rand(), uint64(n))
	return int(hi)
}
