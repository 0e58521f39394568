package lists

import (
	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/list"
)

// LSET key index element replaces the element of an index. LTRIM key start stop keeps the elements from
// index start to index stop, and removes all others. Both reply with OK. LREM key count element removes the
// first count elements that equal element. It removes the last ones if count is negative, and all if it is
// 0. It replies with their number.
var (
	_ = commands.Register(&commands.Command{
		Name: "lset", Arity: 4, Flags: commands.Write | commands.DenyOOM,
		Keys: commands.OneKey.With("RW UPDATE"), Group: commands.GroupList, Run: lset,
	})
	_ = commands.Register(&commands.Command{
		Name: "ltrim", Arity: 4, Flags: commands.Write, Keys: commands.OneKey.With("RW DELETE"),
		Group: commands.GroupList, Run: ltrim,
	})
	_ = commands.Register(&commands.Command{
		Name: "lrem", Arity: 4, Flags: commands.Write, Keys: commands.OneKey.With("RW DELETE"),
		Group: commands.GroupList, Run: lrem, Cost: costOfLrem,
	})
)

const errIndex commands.Error = "ERR index out of range"

func lset(c *commands.Call) error {
	e, err := values.Write(c, c.Args[1])
	switch {
	case err != nil:
		return err
	case !e.Exists():
		return commands.ErrNoSuchKey
	}
	i, err := c.Int(2)
	if err != nil {
		return err
	}
	if _, changed := e.Change(list.Set, store.Operands{Int: i, Value: c.Args[3]}); !changed {
		return errIndex
	}
	c.Notify(commands.ListEvents, "lset", c.Args[1])
	c.Out.OK()
	return nil
}

func ltrim(c *commands.Call) error {
	start, stop, err := commands.TwoInts(c.Args[2], c.Args[3])
	if err != nil {
		return err
	}
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	if e.Exists() {
		if _, removed := e.Change(list.Trim, store.Operands{Int: start, End: stop}); !removed {
			e.Touch() // as in Redis
		}
		c.NotifyRemoval(commands.ListEvents, "ltrim", &e)
	}
	c.Out.OK()
	return nil
}

func lrem(c *commands.Call) error {
	count, err := c.Int(2)
	if err != nil {
		return err
	}
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	n := e.List().Len()
	e.Change(list.Remove, store.Operands{Int: count, Value: c.Args[3]})
	removed := n - e.List().Len()
	if removed > 0 {
		c.NotifyRemoval(commands.ListEvents, "lrem", &e)
	}
	c.Out.Int(int64(removed))
	return nil
}

func costOfLrem(c *commands.Call) int {
	const removalSteps = 4 // a removal takes so many times longer than a search
	return removalSteps * peekList(c, c.Args[1]).Len() / searchedPerStep
}
