package lists

import (
	"cellserver/commands"
	"cellserver/store"
	"cellserver/store/list"
)

// LPOP key [count] removes the first element, and RPOP the last one, and replies with it, or null. With a
// count they remove at most count elements and reply with an array.
var (
	_ = commands.Register(&commands.Command{
		Name: "lpop", Arity: -2, Flags: popFlags, Keys: popKey, Group: commands.GroupList,
		Run:  func(c *commands.Call) error { return pop(c, first) },
		Cost: func(c *commands.Call) int { return costOfLpop(c, first) },
	})
	_ = commands.Register(&commands.Command{
		Name: "rpop", Arity: -2, Flags: popFlags, Keys: popKey, Group: commands.GroupList,
		Run:  func(c *commands.Call) error { return pop(c, last) },
		Cost: func(c *commands.Call) int { return costOfLpop(c, last) },
	})
)

const popFlags = commands.Write | commands.Fast

var popKey = commands.OneKey.With("RW ACCESS DELETE")

func pop(c *commands.Call, from *end) error {
	one, count := len(c.Args) == 2, int64(1)
	switch {
	case len(c.Args) > 3:
		return commands.WrongArity(c.Cmd.FullName())
	case !one:
		var ok bool
		if count, ok = commands.ParseInt(c.Args[2]); !ok || count < 0 {
			return commands.ErrNotPositive
		}
	}
	e, err := values.Write(c, c.Args[1])
	switch {
	case err != nil:
		return err
	case !e.Exists() && one:
		c.Out.Null()
		return nil
	case !e.Exists():
		c.Out.NullArray()
		return nil
	}
	popElements(c, &e, from, count, func(n int) {
		if !one {
			c.Out.Array(n)
		}
	})
	return nil
}

func costOfLpop(c *commands.Call, from *end) int {
	count := int64(1)
	if len(c.Args) == 3 {
		count, _ = commands.ParseInt(c.Args[2])
	}
	return costOfPop(peekList(c, c.Args[1]), from, count)
}

// costOfPop returns how many steps it takes to pop up to count elements.
func costOfPop(l list.List, from *end, count int64) int {
	n := int(min(max(count, 0), int64(l.Len())))
	if from == first {
		return stepsOfElements(l, 0, n)
	}
	return stepsOfElements(l, l.Len()-n, l.Len())
}

// popElements removes up to count elements at an end and replies with them. start begins the reply.
func popElements(c *commands.Call, e *store.Entry, from *end, count int64, start func(n int)) {
	l := e.List()
	n := int(min(count, int64(l.Len())))
	start(n)
	from.each(l, n, func(element []byte) bool {
		c.Out.Bulk(element)
		return true
	})
	if n > 0 {
		e.Change(from.pop, store.Operands{Int: int64(n)})
		c.NotifyRemoval(commands.ListEvents, from.popped, e)
	}
}
