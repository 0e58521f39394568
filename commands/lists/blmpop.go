package lists

import (
	"strconv"

	"cellserver/commands"
	"cellserver/store"
)

// BLMPOP timeout numkeys key [key …] <LEFT | RIGHT> [COUNT count] is LMPOP that waits for a list, at most
// timeout seconds, and for ever if it is 0.
var _ = commands.Register(&commands.Command{
	Name: "blmpop", Arity: -5, Flags: commands.Write | commands.Blocking,
	Keys: commands.Keys{NumKeys: 2, Access: "RW ACCESS DELETE"}, Group: commands.GroupList, Run: blmpop,
	Cost: func(c *commands.Call) int { return costOfMpop(c, c.Args[2:]) },
})

func blmpop(c *commands.Call) error {
	keys, from, count, err := lmpopArgs(c.Args[2:])
	if err != nil {
		return err
	}
	until, err := commands.WaitUntil(c.Args[1], c.Now)
	if err != nil {
		return err
	}
	popped, err := popFirst(c, keys, from, count)
	if popped || err != nil {
		return err
	}
	side := []byte("LEFT")
	if from == last {
		side = []byte("RIGHT")
	}
	most := strconv.AppendInt(nil, count, 10)
	return c.AwaitKeys(commands.KeyWait{
		Keys: keys, Kind: store.List, Until: until,
		Words: func(key []byte) [][]byte {
			return [][]byte{[]byte("blmpop"), []byte("0"), []byte("1"), key, side, []byte("COUNT"), most}
		},
	}, c.Out.NullArray)
}
