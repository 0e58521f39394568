package commands

import "cellserver/store"

// ZPOPMIN key [count] and ZPOPMAX key [count] remove the members (1) with the lowest or
// highest scores and reply with them and their scores: flat, or with a count in RESP3
// as pairs.
var (
	_ = register(&Command{
		Name: "zpopmin", Arity: -2, Flags: Write | Fast, Keys: popKey, Group: SortedSet, Since: "5.0.0",
		Summary: "Remove and return members with the lowest scores in a sorted set", Usage: "key [count]",
		Complexity: zpopCost,
		Run:        func(c *Call) error { return c.zpop(false) },
	})
	_ = register(&Command{
		Name: "zpopmax", Arity: -2, Flags: Write | Fast, Keys: popKey, Group: SortedSet, Since: "5.0.0",
		Summary: "Remove and return members with the highest scores in a sorted set", Usage: "key [count]",
		Complexity: zpopCost,
		Run:        func(c *Call) error { return c.zpop(true) },
	})
)

const zpopCost = "O(log(N)*M) with N being the number of elements in the sorted set, and M being the number of elements popped."

var popKey = oneKey.access("RW ACCESS DELETE")

func (c *Call) zpop(highest bool) error {
	count := int64(1)
	switch len(c.Args) {
	case 2:
	case 3:
		var ok bool
		if count, ok = parseInt(c.Args[2]); !ok || count < 0 {
			return errNotPositive
		}
	default:
		return errSyntax
	}
	e := c.Tx.Write(c.Args[1])
	if err := sortedEntry(&e); err != nil {
		return err
	}
	items := popItems(&e, count, highest)
	if len(c.Args) == 2 && len(items) == 1 {
		c.Out.Array(2)
		c.Out.BulkString(items[0].Member)
		c.Out.Double(items[0].Score)
		return nil
	}
	c.replyItems(items, true)
	return nil
}

// popItems removes up to count items from the low or the high end and returns them in
// the order in which they leave.
func popItems(e *store.Entry, count int64, highest bool) []store.Item {
	z := e.Sorted()
	if z == nil {
		return nil
	}
	n := z.Len()
	take := int(min(count, int64(n)))
	lo, hi := 0, take
	if highest {
		lo, hi = n-take, n
	}
	items := collect(z, lo, hi, highest)
	e.ZRemRange(lo, hi)
	return items
}
