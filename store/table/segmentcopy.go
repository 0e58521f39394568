package table

import (
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/store/value"
)

// Image is a key as it was in a snapshot, or as it is now. Do not change the values that it refers to. It is
// valid until the function that got it returns.
type Image struct {
	DB         int
	Key        []byte
	Kind       value.Kind
	Int        int64            // of kind Int
	Bytes      []byte           // of kind Raw
	Collection value.Collection // of the other kinds
	ExpireAt   int64            // Unix milliseconds, or NoExpiry
}

// SegmentCopy is a copy of a segment's cells, for a snapshot.
type SegmentCopy struct {
	arena   []byte
	objects []object // what the cells refer to, in their order: a long key before its value
	early   bool     // made before the snapshot came to the segment
	image   Image    // the argument of each call: one for all, so that a key costs no allocation
}

// copy copies a segment. was records how the segment was, nil if it has not changed. The cells are
// in the order of the arena. That is often the order of their objects, too, so copy reads those in
// sequence.
func (s *SegmentCopy) copy(all *slab, g *segment, was *savedHeads) {
	s.arena = append(s.arena[:0], g.arena...)
	if was != nil {
		s.arena = was.restore(s.arena)
	}
	if all.n == 0 {
		return
	}
	s.objects = slices.Grow(s.objects, g.live)
	cells := segment{arena: s.arena}
	cells.inOrder(func(c Cell) {
		if c.has(cellBigKey) {
			s.objects = append(s.objects, *all.at(c.bigKey()))
		}
		if c.refers() {
			s.objects = append(s.objects, *all.at(c.Int()))
		}
	})
}

func (s *SegmentCopy) bytes() int64 {
	return int64(len(s.arena)) + int64(len(s.objects))*objectBytes
}

// Each calls f for each key that has not expired at now (Unix nanoseconds), until f returns an
// error. db is the database that the images show.
func (s *SegmentCopy) Each(now int64, db int, f func(*Image) error) (err error) {
	objects := s.objects
	next := func() (o *object) {
		o, objects = &objects[0], objects[1:]
		return o
	}
	cells := segment{arena: s.arena}
	cells.inOrder(func(c Cell) {
		im := &s.image
		*im = Image{DB: db, Key: c.keyBytes(), Kind: c.Kind(), ExpireAt: c.ExpireAt()}
		if c.has(cellBigKey) {
			im.Key = next().bytes()
		}
		switch im.Kind {
		case value.Int:
			im.Int = c.Int()
		case value.Raw:
			im.Bytes = next().bytes()
		default:
			im.Collection = next().collection()
		}
		if err == nil && !c.Expired(now) {
			err = f(im)
		}
	})
	return err
}

// Release gives s back to the snapshot's copies, for the next copy.
func (s *SegmentCopy) Release(c *Copies) {
	if s.early {
		c.waiting.Add(-s.bytes())
	}
	clear(s.objects)
	s.objects, s.early, s.image = s.objects[:0], false, Image{}
	c.pool.Put(s)
}

// Copies are the copies of segments that all parts of one snapshot share.
type Copies struct {
	pool    sync.Pool    // *SegmentCopy, for the next copy
	waiting atomic.Int64 // bytes of early copies and of saved heads
	most    atomic.Int64 // the most that waiting ever was
}

// Bytes returns the bytes of copies that wait for the snapshot, and the largest number so far.
func (c *Copies) Bytes() (now, most int64) { return c.waiting.Load(), c.most.Load() }

func (c *Copies) add(bytes int64) {
	if now := c.waiting.Add(bytes); now > c.most.Load() {
		c.most.Store(now)
	}
}

func (c *Copies) take() *SegmentCopy {
	if s, ok := c.pool.Get().(*SegmentCopy); ok {
		return s
	}
	return &SegmentCopy{}
}
