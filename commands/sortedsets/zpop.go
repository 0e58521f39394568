package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// ZPOPMIN key [count] and ZPOPMAX key [count] remove the members (1) with the lowest or highest
// scores. They reply with the members and their scores: flat, or as pairs in RESP3 with a count.
var (
	_ = commands.Register(&commands.Command{
		Name: "zpopmin", Arity: -2, Flags: commands.Write | commands.Fast, Keys: popKey,
		Group: commands.GroupSortedSet, Run: func(c *commands.Call) error { return zpop(c, false) },
		Cost: func(c *commands.Call) int { return costOfZpop(c, false) },
	})
	_ = commands.Register(&commands.Command{
		Name: "zpopmax", Arity: -2, Flags: commands.Write | commands.Fast, Keys: popKey,
		Group: commands.GroupSortedSet, Run: func(c *commands.Call) error { return zpop(c, true) },
		Cost: func(c *commands.Call) int { return costOfZpop(c, true) },
	})
)

var popKey = commands.OneKey.With("RW ACCESS DELETE")

func costOfZpop(c *commands.Call, highest bool) int {
	count, err := zpopCount(c.Args)
	if err != nil {
		return 0
	}
	return costOfPop(c, c.Args[1], highest, count)
}

// costOfPop returns how many steps it takes to remove count items from an end.
func costOfPop(c *commands.Call, key []byte, highest bool, count int64) int {
	return costOfRange(c, key, changeSteps, func() (interval, error) {
		return func(z store.SortedSet) (int, int) { return endOf(z, count, highest) }, nil
	})
}

// endOf returns the ranks of up to count items at the low or the high end.
func endOf(z store.SortedSet, count int64, highest bool) (lo, hi int) {
	n := z.Len()
	take := int(min(count, int64(n)))
	if highest {
		return n - take, n
	}
	return 0, take
}

func zpopCount(args [][]byte) (count int64, err error) {
	switch len(args) {
	case 2:
		return 1, nil
	case 3:
		if n, ok := commands.ParseInt(args[2]); ok && n >= 0 {
			return n, nil
		}
		return 0, commands.ErrNotPositive
	}
	return 0, commands.ErrSyntax
}

func zpop(c *commands.Call, highest bool) error {
	count, err := zpopCount(c.Args)
	if err != nil {
		return err
	}
	e, err := values.Write(c, c.Args[1])
	if err != nil {
		return err
	}
	items := popItems(c, &e, count, highest)
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
func popItems(c *commands.Call, e *store.Entry, count int64, highest bool) []store.Item {
	z := e.Sorted()
	lo, hi := endOf(z, count, highest)
	items := collect(z, lo, hi, highest)
	e.ZRemRange(lo, hi)
	if hi > lo {
		event := "zpopmin"
		if highest {
			event = "zpopmax"
		}
		c.NotifyRemoval(commands.SortedEvents, event, e)
	}
	return items
}
