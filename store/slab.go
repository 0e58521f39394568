package store

// value is what a cell refers to when it is no integer: a string, a sorted set, or
// the bytes of a key too long for the arena.
type value struct {
	bytes  []byte
	sorted *SortedSet
}

// valueOverhead is the slab's own cost of one value, in bytes.
const valueOverhead = 32

func (v *value) size() int64 {
	n := int64(cap(v.bytes)) + valueOverhead
	if v.sorted != nil {
		n += v.sorted.Bytes()
	}
	return n
}

const slabChunk = 256

// slab holds values at stable small indexes, in chunks, so that growing never copies.
type slab struct {
	chunks []*[slabChunk]value
	free   []uint32
	next   int64
}

func (s *slab) at(i int64) *value { return &s.chunks[i/slabChunk][i%slabChunk] }

func (s *slab) put(v value) int64 {
	var i int64
	if n := len(s.free); n > 0 {
		i = int64(s.free[n-1])
		s.free = s.free[:n-1]
	} else {
		i = s.next
		s.next++
		if i/slabChunk == int64(len(s.chunks)) {
			s.chunks = append(s.chunks, new([slabChunk]value))
		}
	}
	*s.at(i) = v
	return i
}

func (s *slab) drop(i int64) {
	*s.at(i) = value{}
	s.free = append(s.free, uint32(i))
}
