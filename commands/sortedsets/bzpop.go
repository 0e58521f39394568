package sortedsets

import (
	"cellserver/commands"
	"cellserver/commands/multipop"
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
	return multipop.OneOrWait(c, store.Sorted, func(key []byte, e *store.Entry) {
		it := popItems(c, e, 1, highest)[0]
		c.Out.Array(3)
		c.Out.Bulk(key)
		c.Out.BulkString(it.Member)
		c.Out.Double(it.Score)
	})
}
