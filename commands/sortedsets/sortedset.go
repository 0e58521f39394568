package sortedsets

import (
	"cellserver/commands"
	"cellserver/store"
)

// The sorted sets' commands are one file each, or one a family (zrange.go). They share
// what follows: reading a set, replying with its items, and in zinterval.go the ranges.

// readSorted returns the sorted set at a key, nil when the key is absent.
func readSorted(c *commands.Call, key []byte) (*store.SortedSet, error) {
	e := c.Tx.Read(key)
	if err := commands.CheckSorted(&e); err != nil {
		return nil, err
	}
	return e.Sorted(), nil
}

// startItems starts the reply of n items, each of which [replyItem] writes.
// With scores RESP3 has an array of pairs, RESP2 a flat array.
func startItems(c *commands.Call, n int, withScores bool) {
	if withScores && c.Out.Proto != 3 {
		n *= 2
	}
	c.Out.Array(n)
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

// replyRange replies with the items of ranks lo … hi-1, backwards if reverse.
func replyRange(c *commands.Call, z *store.SortedSet, lo, hi int, reverse, withScores bool) {
	startItems(c, hi-lo, withScores)
	z.Range(lo, hi, reverse, func(it store.Item) bool {
		replyItem(c, it, withScores)
		return true
	})
}

// collect returns the items of ranks lo … hi-1, backwards if reverse.
func collect(z *store.SortedSet, lo, hi int, reverse bool) []store.Item {
	items := make([]store.Item, 0, max(hi-lo, 0))
	z.Range(lo, hi, reverse, func(it store.Item) bool {
		items = append(items, it)
		return true
	})
	return items
}

// storeSorted stores items at a key and replies with how many these are.
func storeSorted(c *commands.Call, key []byte, items []store.Item) error {
	e := c.Tx.Write(key)
	e.ZStore(items)
	c.Out.Int(int64(len(items)))
	return nil
}

// replyItems replies with items that are no longer in a set.
func replyItems(c *commands.Call, items []store.Item, withScores bool) {
	startItems(c, len(items), withScores)
	for _, it := range items {
		replyItem(c, it, withScores)
	}
}
