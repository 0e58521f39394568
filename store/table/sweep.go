package table

// Sweep finds the expired cells of one table, segment by segment. The zero value begins at the
// first segment.
type Sweep struct {
	from    uint64 // hash of the next segment
	expired keys
	more    bool // the segment has more expired cells than fit in expired
}

// A round looks through one segment at most. It removes at most this number of cells, with at most
// this number of bytes of keys. So the partition is locked for a bounded time.
const (
	sweepCells    = 128
	sweepKeyBytes = 64 << 10
)

// keys are copies of keys, which must outlive their cells.
type keys struct {
	bytes []byte
	ends  []int
}

func (k *keys) reset() { k.bytes, k.ends = k.bytes[:0], k.ends[:0] }

func (k *keys) full() bool { return len(k.ends) >= sweepCells || len(k.bytes) >= sweepKeyBytes }

func (k *keys) add(key []byte) {
	k.bytes = append(k.bytes, key...)
	k.ends = append(k.ends, len(k.bytes))
}

func (k *keys) each(f func(key []byte)) {
	at := 0
	for _, end := range k.ends {
		f(k.bytes[at:end:end])
		at = end
	}
}

// Restart begins with the first segment of another table.
func (s *Sweep) Restart() { s.from = 0 }

// Round skips the segments in which nothing has expired at now (Unix nanoseconds), at most budget
// of them. It looks through the first other segment, and calls remove for each expired key. remove
// must remove the key. Round returns the number of these keys, and its work: segments and cells.
// done reports whether the round reached the end of the table.
func (s *Sweep) Round(t *Table, now int64, budget int, remove func(key []byte)) (expired, visited int, done bool) {
	for t.dir != nil && visited < budget {
		g := t.dir[t.entryOf(s.from)]
		visited++
		if g.nextExpiry == NoExpiry || FloorMillis(now) <= g.nextExpiry {
			if s.skip(t, g) {
				return 0, visited, true
			}
			continue
		}
		if !s.more { // otherwise an earlier round has counted the cells
			visited += g.live
		}
		next, from := s.collect(t, g, now), s.from
		last := !s.more && s.skip(t, g)
		expired = s.remove(t, remove)
		if !s.more {
			g.nextExpiry = next
		}
		if expired > 0 && !s.more && t.dir != nil {
			t.tidy(g, from)
		}
		return expired, visited + expired, last
	}
	return 0, visited, t.dir == nil
}

// remove removes the collected keys. The segment is tidied up after the last key only:
// otherwise the other cells would move again and again.
func (s *Sweep) remove(t *Table, remove func(key []byte)) (expired int) {
	t.deferTidy = true
	defer func() { t.deferTidy = false }()
	s.expired.each(remove)
	return len(s.expired.ends)
}

// skip moves to the segment after g, and reports whether g is the last one.
func (s *Sweep) skip(t *Table, g *segment) (last bool) {
	from, ok := t.next(g, s.from)
	s.from = from
	return !ok
}

// collect copies the expired keys of the segment, and returns the earliest expiry of the other
// cells.
func (s *Sweep) collect(t *Table, g *segment, now int64) (next int64) {
	s.expired.reset()
	s.more, next = false, NoExpiry
	g.inOrder(func(c Cell) {
		switch {
		case !c.Expired(now):
			if at := c.ExpireAt(); at != NoExpiry && (next == NoExpiry || at < next) {
				next = at
			}
		case s.expired.full():
			s.more = true
		default:
			s.expired.add(t.KeyOf(c))
		}
	})
	return next
}
