package sets

import "cellserver/commands"

// SINTERCARD numkeys key [key …] [LIMIT limit] replies with the number of members that are in all sets, at
// most limit.
var _ = commands.Register(&commands.Command{
	Name: "sintercard", Arity: -3, Flags: commands.ReadOnly, Keys: commands.Keys{NumKeys: 1},
	Group: commands.GroupSet, Run: sintercard, Cost: costOfCombination,
})

func sintercard(c *commands.Call) error {
	numkeys, ok := commands.ParseInt(c.Args[1])
	switch {
	case !ok || numkeys < 1:
		return commands.ErrNumKeys
	case numkeys > int64(len(c.Args)-2):
		return commands.Error("ERR Number of keys can't be greater than number of args")
	}
	keys, rest := c.Args[2:2+numkeys], c.Args[2+numkeys:]
	limit := int64(0)
	for ; len(rest) > 0; rest = rest[2:] {
		if len(rest) < 2 || !commands.Is(rest[0], "limit") {
			return commands.ErrSyntax
		}
		if limit, ok = commands.ParseInt(rest[1]); !ok || limit < 0 {
			return commands.Error("ERR LIMIT can't be negative")
		}
	}
	all, err := readSets(c, keys)
	if err != nil {
		return err
	}
	n := int64(0)
	inter(all)(func([]byte) bool {
		n++
		return n != limit
	})
	c.Out.Int(n)
	return nil
}
