package lists

import (
	"cellserver/commands"
	"cellserver/commands/multipop"
	"cellserver/store"
)

// BLPOP key [key …] timeout is LPOP of the first key that has a list, and BRPOP is RPOP of it. They reply
// with the key and the element. If there is no list, they wait for one, at most timeout seconds, and for
// ever if it is 0. Then the reply is null. Clients that wait for a key are served in the order of their
// arrival.
var (
	_ = commands.Register(&commands.Command{
		Name: "blpop", Arity: -3, Flags: blockingFlags, Keys: blockingKeys, Group: commands.GroupList,
		Run: func(c *commands.Call) error { return blpop(c, first) },
	})
	_ = commands.Register(&commands.Command{
		Name: "brpop", Arity: -3, Flags: blockingFlags, Keys: blockingKeys, Group: commands.GroupList,
		Run: func(c *commands.Call) error { return blpop(c, last) },
	})
)

const blockingFlags = commands.Write | commands.NoScript | commands.Blocking

var blockingKeys = commands.Keys{First: 1, Last: -2, Step: 1, Access: "RW ACCESS DELETE"}

func blpop(c *commands.Call, from *end) error {
	return multipop.OneOrWait(c, store.List, func(key []byte, e *store.Entry) {
		popElements(c, e, from, 1, func(int) {
			c.Out.Array(2)
			c.Out.Bulk(key)
		})
	})
}
