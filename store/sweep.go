package store

import "cellserver/store/table"

// SweepCursor is the place where [Store.Sweep] continues. The zero value starts at the beginning.
// It serves one store and one goroutine.
type SweepCursor struct {
	partition, db int
	table         table.Sweep
	tx            *Tx
}

// Sweep removes keys that have expired at now (Unix nanoseconds). It returns how many it removed,
// and how much work it did: cells read, cells removed, segments and tables, one each. It stops
// when visited reaches budget, or after one round of the keyspace. If expired is a large part of
// visited, there is more to find: sweep again soon.
//
// It locks one partition at a time, for a short time. So the caller must not have an active
// transaction.
func (s *Store) Sweep(now int64, c *SweepCursor, budget int) (expired, visited int) {
	if c.tx == nil {
		c.tx = s.NewTx()
	}
	// The first table comes twice: the cursor may stand in its middle.
	for tables := Partitions*s.databases + 1; tables > 0 && visited < budget; visited++ {
		if s.partitions[c.partition].tables[c.db].Len() == 0 {
			c.nextTable(s)
			tables--
			continue
		}
		n, seen, done := c.round(now, budget-visited)
		expired += n
		visited += seen
		if done {
			c.nextTable(s)
			tables--
		}
	}
	return expired, visited
}

func (c *SweepCursor) nextTable(s *Store) {
	c.table.Restart()
	if c.db++; c.db == s.databases {
		c.db = 0
		c.partition = (c.partition + 1) % Partitions
	}
}

// round removes the expired keys of one segment. It reports whether that segment was the table's
// last one.
func (c *SweepCursor) round(now int64, budget int) (expired, visited int, done bool) {
	var fp Footprint
	fp.add(c.partition)
	c.tx.Begin(now, c.db, &fp)
	defer c.tx.End()
	t := &c.tx.only.tables[c.db]
	return c.table.Round(t, now, budget, func(key []byte) { c.tx.Peek(key) })
}
