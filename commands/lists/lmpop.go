package lists

import "cellserver/commands"

// LMPOP numkeys key [key …] <LEFT | RIGHT> [COUNT count] removes elements of the first key that exists. It
// replies with the key and the removed elements, or null.
var _ = commands.Register(&commands.Command{
	Name: "lmpop", Arity: -4, Flags: commands.Write,
	Keys: commands.Keys{NumKeys: 1, Access: "RW ACCESS DELETE"}, Group: commands.GroupList, Run: lmpop,
	Cost: func(c *commands.Call) int { return costOfMpop(c, c.Args[1:]) },
})

const (
	errNumKeys commands.Error = "ERR numkeys should be greater than 0"
	errCount   commands.Error = "ERR count should be greater than 0"
)

// costOfMpop returns the steps of LMPOP and of BLMPOP. args begin with the number of keys.
func costOfMpop(c *commands.Call, args [][]byte) int {
	keys, from, count, _ := lmpopArgs(args)
	for _, key := range keys {
		if e := c.Tx.Peek(key); e.Exists() {
			return costOfPop(e.List(), from, count)
		}
	}
	return 0
}

func lmpop(c *commands.Call) error {
	keys, from, count, err := lmpopArgs(c.Args[1:])
	if err != nil {
		return err
	}
	popped, err := popFirst(c, keys, from, count)
	if !popped && err == nil {
		c.Out.NullArray()
	}
	return err
}

// popFirst pops elements of the first key that exists, and replies with the key and the elements. It returns
// false if no key exists.
func popFirst(c *commands.Call, keys [][]byte, from *end, count int64) (popped bool, err error) {
	for _, key := range keys {
		e, err := writeList(c, key)
		if err != nil {
			return false, err
		}
		if e.Exists() {
			popElements(c, &e, from, count, func(n int) {
				c.Out.Array(2)
				c.Out.Bulk(key)
				c.Out.Array(n)
			})
			return true, nil
		}
	}
	return false, nil
}

func lmpopArgs(args [][]byte) (keys [][]byte, from *end, count int64, err error) {
	n, ok := commands.ParseInt(args[0])
	if !ok || n < 1 {
		return nil, nil, 0, errNumKeys
	}
	rest := args[1:]
	if n >= int64(len(rest)) {
		return nil, nil, 0, commands.ErrSyntax
	}
	keys, rest = rest[:n], rest[n:]
	if from, err = parseEnd(rest[0]); err != nil {
		return nil, nil, 0, err
	}
	switch rest = rest[1:]; {
	case len(rest) == 0:
		return keys, from, 1, nil
	case len(rest) < 2 || !commands.Is(rest[0], "count"):
		return nil, nil, 0, commands.ErrSyntax
	}
	if count, ok = commands.ParseInt(rest[1]); !ok || count < 1 {
		return nil, nil, 0, errCount
	}
	if len(rest) > 2 {
		return nil, nil, 0, commands.ErrSyntax
	}
	return keys, from, count, nil
}
