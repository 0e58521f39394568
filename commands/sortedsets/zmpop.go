package sortedsets

import "cellserver/commands"

// ZMPOP numkeys key [key …] <MIN | MAX> [COUNT count] removes items of the first key that exists.
// It replies with the key and the removed items, or null.
var _ = commands.Register(&commands.Command{
	Name: "zmpop", Arity: -4, Flags: commands.Write,
	Keys: commands.Keys{NumKeys: 1, Access: "RW ACCESS DELETE"}, Group: commands.GroupSortedSet, Run: zmpop,
	Cost: func(c *commands.Call) int { return costOfZmpop(c, c.Args[1:]) },
})

const errNumKeys commands.Error = "ERR numkeys should be greater than 0"

// costOfZmpop returns the steps of ZMPOP and of BZMPOP. args begin with the number of keys.
func costOfZmpop(c *commands.Call, args [][]byte) int {
	keys, highest, count, _ := zmpopArgs(args)
	for _, key := range keys {
		if e := c.Tx.Peek(key); e.Exists() {
			return costOfPop(c, key, count, highest)
		}
	}
	return 0
}

func zmpop(c *commands.Call) error {
	keys, highest, count, err := zmpopArgs(c.Args[1:])
	if err != nil {
		return err
	}
	popped, err := popFirst(c, keys, highest, count)
	if !popped && err == nil {
		c.Out.NullArray()
	}
	return err
}

// popFirst pops items of the first key that exists, and replies with the key and the items. It returns
// false if no key exists.
func popFirst(c *commands.Call, keys [][]byte, highest bool, count int64) (popped bool, err error) {
	for _, key := range keys {
		e := c.Tx.Write(key)
		if err := commands.CheckSorted(&e); err != nil {
			return false, err
		}
		if !e.Exists() {
			continue
		}
		items := popItems(c, &e, count, highest)
		c.Out.Array(2)
		c.Out.Bulk(key)
		c.Out.Array(len(items))
		for _, it := range items {
			c.Out.Array(2)
			c.Out.BulkString(it.Member)
			c.Out.Double(it.Score)
		}
		return true, nil
	}
	return false, nil
}

func zmpopArgs(args [][]byte) (keys [][]byte, highest bool, count int64, err error) {
	n, ok := commands.ParseInt(args[0])
	if !ok || n < 1 {
		return nil, false, 0, errNumKeys
	}
	rest := args[1:]
	if n >= int64(len(rest)) {
		return nil, false, 0, commands.ErrSyntax
	}
	keys, rest = rest[:n], rest[n:]
	highest = commands.Is(rest[0], "max")
	if !highest && !commands.Is(rest[0], "min") {
		return nil, false, 0, commands.ErrSyntax
	}
	switch rest = rest[1:]; {
	case len(rest) == 0:
		return keys, highest, 1, nil
	case len(rest) < 2 || !commands.Is(rest[0], "count"):
		return nil, false, 0, commands.ErrSyntax
	}
	if count, ok = commands.ParseInt(rest[1]); !ok || count < 1 {
		return nil, false, 0, commands.Error("ERR count should be greater than 0")
	}
	if len(rest) > 2 {
		return nil, false, 0, commands.ErrSyntax
	}
	return keys, highest, count, nil
}
