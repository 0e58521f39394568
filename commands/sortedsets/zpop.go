package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// ZPOPMIN key [count] and ZPOPMAX key [count] remove the members (1) with the lowest or highest
// scores. They reply with the members and their scores: flat, or as pairs in RESP3 with a count.
var (
	_ = commands.Register(&commands.Command{
		Name: "zpopmin", Arity: -2, Flags: commands.Write | commands.Fast | commands.Linear, Keys: popKey, Group: commands.GroupSortedSet, Since: "5.0.0",
		Summary: "Remove and return members with the lowest scores in a sorted set", Usage: "key [count]",
		Complexity: zpopCost,
		Run:        func(c *commands.Call) error { return zpop(c, false) },
	})
	_ = commands.Register(&commands.Command{
		Name: "zpopmax", Arity: -2, Flags: commands.Write | commands.Fast | commands.Linear, Keys: popKey, Group: commands.GroupSortedSet, Since: "5.0.0",
		Summary: "Remove and return members with the highest scores in a sorted set", Usage: "key [count]",
		Complexity: zpopCost,
		Run:        func(c *commands.Call) error { return zpop(c, true) },
	})
)

const zpopCost = "O(log(N)*M) with N being the number of elements in the sorted set, and M being the number of elements popped."

var popKey = commands.OneKey.With("RW ACCESS DELETE")

func zpop(c *commands.Call, highest bool) error {
	count := int64(1)
	switch len(c.Args) {
	case 2:
	case 3:
		var ok bool
		if count, ok = commands.ParseInt(c.Args[2]); !ok || count < 0 {
			return commands.ErrNotPositive
		}
	default:
		return commands.ErrSyntax
	}
	e := c.Tx.Write(c.Args[1])
	if err := commands.CheckSorted(&e); err != nil {
		return err
	}
	items, err := popItems(c, &e, count, highest)
	if err != nil {
		return err
	}
	if len(c.Args) == 2 && len(items) == 1 {
		c.Out.Array(2)
		c.Out.BulkString(items[0].Member)
		c.Out.Double(items[0].Score)
		return nil
	}
	replyItems(c, items, true)
	return nil
}

// popItems removes up to count items from the low or the high end. It returns them in the order of
// removal.
func popItems(c *commands.Call, e *store.Entry, count int64, highest bool) ([]store.Item, error) {
	z := e.Sorted()
	if z == nil {
		return nil, nil
	}
	n := z.Len()
	take := int(min(count, int64(n)))
	if err := c.TakesSteps(changeSteps * take); err != nil {
		return nil, err
	}
	lo, hi := 0, take
	if highest {
		lo, hi = n-take, n
	}
	items := collect(z, lo, hi, highest)
	size := 0
	for i := range items {
		size += len(items[i].Member)
	}
	if err := c.TakesBytes(size); err != nil {
		return nil, err
	}
	e.ZRemRange(lo, hi)
	if take > 0 {
		event := "zpopmin"
		if highest {
			event = "zpopmax"
		}
		c.NotifyRemoval(commands.SortedEvents, event, e)
	}
	return items, nil
}
