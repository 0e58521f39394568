package commands

import "cellserver/store"

// The sorted sets' commands are one file each, or one a family (zrange.go). They share
// what follows: reading a set, replying with its items, and in zinterval.go the ranges.

// readSorted returns the sorted set at a key, nil when the key is absent.
func (c *Call) readSorted(key []byte) (*store.SortedSet, error) {
	e := c.Tx.Read(key)
	if err := sortedEntry(&e); err != nil {
		return nil, err
	}
	return e.Sorted(), nil
}

// startItems starts the reply of n items, each of which [Call.replyItem] writes.
// With scores RESP3 has an array of pairs, RESP2 a flat array.
func (c *Call) startItems(n int, withScores bool) {
	if withScores && c.Out.Proto != 3 {
		n *= 2
	}
	c.Out.Array(n)
}

func (c *Call) replyItem(it store.Item, withScores bool) {
	if withScores && c.Out.Proto == 3 {
		c.Out.Array(2)
	}
	c.Out.BulkString(it.Member)
	if withScores {
		c.Out.Double(it.Score)
	}
}

// replyRange replies with the items of ranks lo … hi-1, backwards if reverse.
func (c *Call) replyRange(z *store.SortedSet, lo, hi int, reverse, withScores bool) {
	c.startItems(hi-lo, withScores)
	z.Range(lo, hi, reverse, func(it store.Item) bool {
		c.replyItem(it, withScores)
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
func (c *Call) storeSorted(key []byte, items []store.Item) error {
	e := c.Tx.Write(key)
	e.ZStore(items)
	c.Out.Int(int64(len(items)))
	return nil
}

// replyItems replies with items that are no longer in a set.
func (c *Call) replyItems(items []store.Item, withScores bool) {
	c.startItems(len(items), withScores)
	for _, it := range items {
		c.replyItem(it, withScores)
	}
}
