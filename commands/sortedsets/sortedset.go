package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// changeSteps is how many steps ([commands.Call.TakesSteps]) it takes to add a member, to remove one, or to find one at a
// random rank.
const changeSteps = 10

// readSorted returns the sorted set of a key, nil if the key is absent. The error is
// [commands.ErrWrongType].
func readSorted(c *commands.Call, key []byte) (*store.SortedSet, error) {
	e := c.Tx.Read(key)
	if err := commands.CheckSorted(&e); err != nil {
		return nil, err
	}
	return e.Sorted(), nil
}

func replyItem(c *commands.Call, it store.Item, withScores bool) {
	if withScores && c.Out.Proto == 3 {
		c.Out.Array(2)
	}
	c.Out.BulkString(it.Member)
	if withScores {
		c.Out.Double(it.Score)
	}
}

// replyFitting is replyItem for a part of a long reply. It reports whether the item fits.
func replyFitting(c *commands.Call, out *commands.Copying, it store.Item, withScores bool) bool {
	if !out.Fits(len(it.Member)) {
		return false
	}
	replyItem(c, it, withScores)
	return true
}

// replyRange replies with the items of the ranks lo to hi-1, in descending order if reverse is set. The error is
// [commands.TakesLong].
func replyRange(c *commands.Call, z *store.SortedSet, lo, hi int, reverse, withScores bool) error {
	out := c.Copying()
	c.StartPairs(hi-lo, withScores)
	z.Range(lo, hi, reverse, func(it store.Item) bool { return replyFitting(c, &out, it, withScores) })
	return out.Err
}

// collect returns the items of the ranks lo to hi-1, in descending order if reverse is set.
func collect(z *store.SortedSet, lo, hi int, reverse bool) []store.Item {
	items := make([]store.Item, 0, max(hi-lo, 0))
	z.Range(lo, hi, reverse, func(it store.Item) bool {
		items = append(items, it)
		return true
	})
	return items
}

// storeSorted replaces a key by a sorted set of items, and replies with their number. Without items
// it deletes the key.
func storeSorted(c *commands.Call, key []byte, items []store.Item) error {
	e := c.Tx.Write(key)
	existed := e.Exists()
	e.ZStore(items)
	if len(items) > 0 {
		c.Notify(commands.SortedEvents, c.Cmd.Name, key)
	} else if existed {
		c.Notify(commands.GenericEvents, "del", key)
	}
	c.Out.Int(int64(len(items)))
	return nil
}

// replyItems replies with a slice of items.
func replyItems(c *commands.Call, items []store.Item, withScores bool) {
	c.StartPairs(len(items), withScores)
	for _, it := range items {
		replyItem(c, it, withScores)
	}
}
