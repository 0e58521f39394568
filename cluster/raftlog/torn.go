package raftlog

import (
	"bufio"
	"io"
	"math"

	"github.com/hashicorp/raft"
)

// maxSearch limits how many bytes isTorn reads to find an intact record. Only data that was made for this
// purpose has that many headers. Then the fault counts as damage.
const maxSearch = 1 << 30

// blockSize is the smallest unit in bytes in which file systems write.
const blockSize = 512

// isTorn reports whether the fault at the end of a file's entries is a torn tail. It is a torn tail if there
// is no intact record after it. An intact record after it means damage, with one exception: a power cut may
// lose a block of a write and keep a later one. Then there are zeros between the fault and the record.
func (s *segment) isTorn() (bool, error) {
	bytes, err := s.file.Size()
	if err != nil {
		return false, err
	}
	in := bufio.NewReaderSize(io.NewSectionReader(s.file, s.size, bytes-s.size), scanBuffer)
	zeros, budget := holeFinder{from: s.size, begin: s.size}, int64(maxSearch)
	for at := s.size; at < bytes; at++ {
		b, err := in.Peek(int(min(headerSize, bytes-at)))
		if err != nil {
			return false, err
		}
		if len(b) == headerSize && s.mayFollow(parseHeader(b), bytes-at) {
			cost, intact, err := s.intact(at, bytes)
			if budget -= cost; intact || budget < 0 || err != nil {
				return zeros.found, err
			}
		}
		zeros.add(b[0], at)
		if _, err := in.Discard(1); err != nil {
			return false, err
		}
	}
	return true, nil
}

// mayFollow reports whether a header can be that of an entry after the fault, with space for its record.
// Without this check, isTorn would compute a checksum at every byte.
func (s *segment) mayFollow(h header, space int64) bool {
	return h.kind <= raft.LogConfiguration && int64(h.size) <= space-headerSize && h.index >= s.end() && h.index-s.end() <= math.MaxUint32
}

// intact reports whether there is an intact record at an offset. The cost is how many bytes it had to read,
// or a little more.
func (s *segment) intact(at, bytes int64) (cost int64, intact bool, err error) {
	var b [headerSize]byte
	if _, err := s.file.ReadAt(b[:], at); err != nil {
		return 0, false, err
	}
	h := parseHeader(b[:])
	found, err := newScanner(s.file, at, bytes).next(h.index)
	return scanBuffer + int64(h.size), found == nil && err == nil, err
}

// holeFinder finds blocks that nobody wrote: zeros from the fault, or from the beginning of a block, to the
// end of the block.
type holeFinder struct {
	begin int64 // the offset of the fault
	from  int64 // the offset of the first zero of the current run
	found bool
}

// minHole is how many zeros a hole must have. Fewer could be the beginning of a record.
const minHole = 8

// add takes the next byte.
func (h *holeFinder) add(c byte, at int64) {
	if c != 0 {
		h.from = at + 1
		return
	}
	end := at + 1
	if end%blockSize == 0 && end-h.from >= minHole && (h.from == h.begin || end-h.from >= blockSize) {
		h.found = true
	}
}
