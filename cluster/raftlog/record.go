package raftlog

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/hashicorp/raft"
)

const (
	// headerSize is the number of bytes of a record before the data.
	headerSize = 25
	// sumSize is the number of bytes before those that the checksum covers.
	sumSize = 4
	// maxData is how many bytes of data an entry may have.
	maxData = 1 << 30
)

// header is the beginning of a record.
type header struct {
	sum   uint32
	size  uint32 // of the data
	index uint64
	term  uint64
	kind  raft.LogType
}

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// appendHeader appends the header of an entry's record.
func appendHeader(dst []byte, l *raft.Log) []byte {
	at := len(dst)
	dst = append(dst, 0, 0, 0, 0)
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(l.Data)))
	dst = binary.LittleEndian.AppendUint64(dst, l.Index)
	dst = binary.LittleEndian.AppendUint64(dst, l.Term)
	dst = append(dst, byte(l.Type))
	sum := crc32.Update(sumOf(dst[at:]), castagnoli, l.Data)
	binary.LittleEndian.PutUint32(dst[at:], sum)
	return dst
}

func parseHeader(b []byte) header {
	return header{
		sum:   binary.LittleEndian.Uint32(b),
		size:  binary.LittleEndian.Uint32(b[4:]),
		index: binary.LittleEndian.Uint64(b[8:]),
		term:  binary.LittleEndian.Uint64(b[16:]),
		kind:  raft.LogType(b[24]),
	}
}

// sumOf returns the checksum of a header. The checksum of the record continues it with the data.
func sumOf(header []byte) uint32 {
	return crc32.Checksum(header[sumSize:headerSize], castagnoli)
}

// recordSize returns the number of bytes of an entry's record.
func recordSize(l *raft.Log) int64 { return headerSize + int64(len(l.Data)) }

// scanner reads the records of a file in their order.
type scanner struct {
	in   *bufio.Reader
	head [headerSize]byte
	at   int64 // the offset of the next record
	size int64 // of the file
}

// scanBuffer is how many bytes a scanner reads at once.
const scanBuffer = 256 << 10

func newScanner(f io.ReaderAt, from, size int64) *scanner {
	return &scanner{in: bufio.NewReaderSize(io.NewSectionReader(f, from, size-from), scanBuffer), at: from, size: size}
}

// fault says why a record is not intact.
type fault struct {
	reason string
	whole  bool // the checksum is right: no incomplete write leaves such a record
}

// next reads the record of an entry. After a fault the scanner cannot be used any more.
func (s *scanner) next(index uint64) (*fault, error) {
	if s.size-s.at < headerSize {
		return &fault{reason: "the file ends within the header of a record"}, nil
	}
	if _, err := io.ReadFull(s.in, s.head[:]); err != nil {
		return nil, err
	}
	h := parseHeader(s.head[:])
	if int64(h.size) > s.size-s.at-headerSize {
		return &fault{reason: "the file ends within the data of a record"}, nil
	}
	sum, err := s.data(sumOf(s.head[:]), int(h.size))
	switch {
	case err != nil:
		return nil, err
	case sum != h.sum:
		return &fault{reason: fmt.Sprintf("a record has the checksum %08x, and its bytes have the checksum %08x", h.sum, sum)}, nil
	case h.index != index:
		return &fault{reason: fmt.Sprintf("a record is of entry %d, and entry %d must come here",
			h.index, index), whole: true}, nil
	}
	s.at += headerSize + int64(h.size)
	return nil, nil
}

// data reads the data of a record, and adds it to a checksum.
func (s *scanner) data(sum uint32, size int) (uint32, error) {
	for size > 0 {
		b, err := s.in.Peek(min(size, scanBuffer))
		if err != nil {
			return 0, err
		}
		sum = crc32.Update(sum, castagnoli, b)
		size -= len(b)
		if _, err := s.in.Discard(len(b)); err != nil {
			return 0, err
		}
	}
	return sum, nil
}
