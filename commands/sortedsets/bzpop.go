package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// BZPOPMIN key [key …] timeout is ZPOPMIN of the first key that has a sorted set, and BZPOPMAX is ZPOPMAX
// of it. They reply with the key, the member and its score. If there is no sorted set, they wait for one,
// at most timeout seconds, and for ever if it is 0. Then the reply is null.
var (
	_ = commands.Register(&commands.Command{
		Name: "bzpopmin", Arity: -3, Flags: blockingFlags, Keys: blockingKeys,
		Group: commands.GroupSortedSet, Run: func(c *commands.Call) error { return bzpop(c, false) },
	})
	_ = commands.Register(&commands.Command{
		Name: "bzpopmax", Arity: -3, Flags: blockingFlags, Keys: blockingKeys,
		Group: commands.GroupSortedSet, Run: func(c *commands.Call) error { return bzpop(c, true) },
	})
)

const blockingFlags = commands.Write | commands.NoScript | commands.Fast | commands.Blocking

var blockingKeys = commands.Keys{First: 1, Last: -2, Step: 1, Access: "RW ACCESS DELETE"}

func bzpop(c *commands.Call, highest bool) error {
	timeout := len(c.Args) - 1
	until, err := commands.WaitUntil(c.Args[timeout], c.Now)
	if err != nil {
		return err
	}
	keys := c.Args[1:timeout]
	for _, key := range keys {
		e := c.Tx.Write(key)
		if err := commands.CheckSorted(&e); err != nil {
			return err
		}
		for _, it := range popItems(c, &e, 1, highest) {
			c.Out.Array(3)
			c.Out.Bulk(key)
			c.Out.BulkString(it.Member)
			c.Out.Double(it.Score)
			return nil
		}
	}
	name := []byte(c.Cmd.Name)
	return c.AwaitKeys(commands.KeyWait{
		Keys: keys, Kind: store.Sorted, Until: until,
		Words: func(key []byte) [][]byte { return [][]byte{name, key, []byte("0")} },
	}, c.Out.NullArray)
}
