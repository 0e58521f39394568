package lists

import (
	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/list"
)

// LINSERT key <BEFORE | AFTER> pivot element puts an element before or behind the first one that equals the
// pivot. It replies with the new length, -1 if no element equals the pivot, or 0 if the key is absent.
var _ = commands.Register(&commands.Command{
	Name: "linsert", Arity: 5, Flags: commands.Write | commands.DenyOOM,
	Keys: commands.OneKey.With("RW INSERT"), Group: commands.GroupList, Run: linsert,
	Cost: func(c *commands.Call) int { return peekList(c, c.Args[1]).Len() / searchedPerStep },
})

func linsert(c *commands.Call) error {
	o := store.Operands{Int: 1, Value: c.Args[3], More: c.Args[4]}
	switch {
	case commands.Is(c.Args[2], "before"):
		o.Int = -1
	case !commands.Is(c.Args[2], "after"):
		return commands.ErrSyntax
	}
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	if !e.Exists() {
		c.Out.Int(0)
		return nil
	}
	n := e.List().Len()
	if _, changed := e.Change(list.Insert, o); !changed {
		c.Out.Int(-1)
		return nil
	}
	c.Notify(commands.ListEvents, "linsert", c.Args[1])
	c.Out.Int(int64(n) + 1)
	return nil
}
