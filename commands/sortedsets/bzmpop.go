package sortedsets

import (
	"strconv"

	"cellserver/commands"
	"cellserver/store"
)

// BZMPOP timeout numkeys key [key …] <MIN | MAX> [COUNT count] is ZMPOP that waits for a sorted set,
// at most timeout seconds, and for ever if it is 0.
var _ = commands.Register(&commands.Command{
	Name: "bzmpop", Arity: -5, Flags: commands.Write | commands.Blocking,
	Keys: commands.Keys{NumKeys: 2, Access: "RW ACCESS DELETE"}, Group: commands.GroupSortedSet,
	Run: bzmpop, Cost: func(c *commands.Call) int { return costOfZmpop(c, c.Args[2:]) },
})

func bzmpop(c *commands.Call) error {
	keys, highest, count, err := zmpopArgs(c.Args[2:])
	if err != nil {
		return err
	}
	until, err := commands.WaitUntil(c.Args[1], c.Now)
	if err != nil {
		return err
	}
	popped, err := popFirst(c, keys, highest, count)
	if popped || err != nil {
		return err
	}
	side := []byte("MIN")
	if highest {
		side = []byte("MAX")
	}
	most := strconv.AppendInt(nil, count, 10)
	return c.AwaitKeys(commands.KeyWait{
		Keys: keys, Kind: store.Sorted, Until: until,
		Words: func(key []byte) [][]byte {
			return [][]byte{[]byte("bzmpop"), []byte("0"), []byte("1"), key, side, []byte("COUNT"), most}
		},
	}, c.Out.NullArray)
}
