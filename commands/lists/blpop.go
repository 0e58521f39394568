package lists

import (
	"cellserver/commands"
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
	timeout := len(c.Args) - 1
	until, err := commands.WaitUntil(c.Args[timeout], c.Now)
	if err != nil {
		return err
	}
	keys := c.Args[1:timeout]
	for _, key := range keys {
		e, err := writeList(c, key)
		if err != nil {
			return err
		}
		if e.Exists() {
			popElements(c, &e, from, 1, func(int) {
				c.Out.Array(2)
				c.Out.Bulk(key)
			})
			return nil
		}
	}
	name := []byte(c.Cmd.Name)
	return c.AwaitKeys(commands.KeyWait{
		Keys: keys, Kind: store.List, Until: until,
		Words: func(key []byte) [][]byte { return [][]byte{name, key, []byte("0")} },
	}, c.Out.NullArray)
}
