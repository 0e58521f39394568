package store

// value is what a cell refers to when it is no integer: a string, a sorted set, or
// the bytes of a key too long for the arena.
type value struct {
	bytes  []byte
	sorted *SortedSet
	hash   uint64 // of the key, to find the cell that refers to it
}

// valueOverhead is the slab's own cost of one value, in bytes.
const valueOverhead = 40

func (v *value) size() int64 {
	n := int64(cap(v.bytes)) + valueOverhead
	if v.sorted != nil {
		n += v.sorted.Bytes()
	}
	return n
}

const slabChunk = 32

// slab holds values at small indexes, in chunks, so that growing never copies. It is
// dense: the last value takes the place of one that goes, so its memory follows the
// values that are left.
type slab struct {
	chunks []*[slabChunk]value
	n      int64
}

func (s *slab) at(i int64) *value { return &s.chunks[i/slabChunk][i%slabChunk] }

func (s *slab) put(v value) int64 {
	i := s.n
	if i/slabChunk == int64(len(s.chunks)) {
		s.chunks = append(s.chunks, new([slabChunk]value))
	}
	s.n++
	*s.at(i) = v
	return i
}

// drop removes a value. If another one, with the hash, moves from its place to i, its
// former index is returned as moved, else -1. One spare chunk is kept.
func (s *slab) drop(i int64) (moved int64, hash uint64) {
	s.n--
	moved = -1
	if last := s.at(s.n); i != s.n {
		*s.at(i) = *last
		moved, hash = s.n, last.hash
	}
	*s.at(s.n) = value{}
	if spare := s.n/slabChunk + 2; spare < int64(len(s.chunks)) {
		s.chunks[spare] = nil
		s.chunks = s.chunks[:spare]
		if len(s.chunks)*4 < cap(s.chunks) {
			s.chunks = append(make([]*[slabChunk]value, 0, len(s.chunks)*2), s.chunks...)
		}
	}
	return moved, hash
}
