package store

import "cellserver/store/table"

// SweepCursor is the place where [Store.Sweep] continues. The zero value starts at the beginning.
// It serves one store and one goroutine.
type SweepCursor struct {
	// Applied: the removals are of transactions with [Tx.Applied], because every node sweeps.
	Applied bool

	partition, db int
	table         table.Sweep
	tx            *Tx
}

// Sweep removes keys that have expired at now (Unix nanoseconds). It returns how many it removed,
// and how much work it did: cells read, cells removed, segments and tables, one each. It stops
// when visited reaches budget, or after one round of the keyspace. If expired is a large part of
// visited, there is more to find: sweep again soon.
//
// It locks one partition at a time, for a short time. It passes over a partition that a long
// transaction has. So the caller must not have an active
// transaction.
func (s *Store) Sweep(now int64, c *SweepCursor, budget int) (expired, visited int) {
	if c.tx == nil {
		c.tx = s.NewTx()
	}
	c.tx.Applied = c.Applied
	// The first table comes twice: the cursor may stand in its middle.
	for tables := Partitions*s.databases + 1; tables > 0 && visited < budget; visited++ {
		switch t := s.tables.find(c.partition, c.db); {
		case s.tables.place(c.db).Load() == nil:
			tables -= Partitions - c.partition
			c.nextDatabase(s)
		case t == nil:
			c.nextTable(s)
			tables--
		default:
			n, seen, done := c.round(now, budget-visited)
			expired += n
			visited += seen
			if done {
				c.nextTable(s)
				tables--
			}
		}
	}
	return expired, visited
}

func (c *SweepCursor) nextTable(s *Store) {
	c.table.Restart()
	if c.partition++; c.partition == Partitions {
		c.nextDatabase(s)
	}
}

func (c *SweepCursor) nextDatabase(s *Store) {
	c.table.Restart()
	c.partition, c.db = 0, (c.db+1)%s.databases
}

// round removes the expired keys of one segment, or drops a table without keys. It reports whether
// that was the table's end, or whether a long transaction has the partition.
func (c *SweepCursor) round(now int64, budget int) (expired, visited int, done bool) {
	var fp Footprint
	fp.add(c.partition)
	if !c.tx.TryBegin(now, c.db, &fp) {
		return 0, 0, true
	}
	defer c.tx.End()
	s := c.tx.s
	t := s.tables.findOrMake(c.tx.only, c.db)
	if t.Len() == 0 {
		s.tables.drop(c.tx.only, c.db)
		return 0, 0, true
	}
	return c.table.Round(t, now, budget, func(key []byte) { c.tx.Peek(key) })
}
