package raftlog

import (
	"fmt"
	"hash/crc32"
	"io"
	"math"

	"cellserver/persistence/fs"

	"github.com/hashicorp/raft"
)

// segment is one file of the log.
type segment struct {
	path    string
	first   uint64   // index of the first entry
	offsets []uint32 // of the records, in the order of their entries
	size    int64    // of all records in bytes
	file    fs.File  // open for reading
}

// end returns the index after the last entry.
func (s *segment) end() uint64 { return s.first + uint64(len(s.offsets)) }

// recordEnd returns the offset at which the record of the nth entry ends.
func (s *segment) recordEnd(n int) int64 {
	if n+1 < len(s.offsets) {
		return int64(s.offsets[n+1])
	}
	return s.size
}

// read reads the entry with an index.
func (s *segment) read(index uint64, l *raft.Log) error {
	n := int(index - s.first)
	at := int64(s.offsets[n])
	b := make([]byte, s.recordEnd(n)-at)
	if _, err := s.file.ReadAt(b, at); err != nil {
		return fmt.Errorf("entry %d in %s cannot be read: %w", index, s.path, err)
	}
	h, data := parseHeader(b), b[headerSize:]
	if h.sum != crc32.Update(sumOf(b), castagnoli, data) || h.index != index {
		return fmt.Errorf("entry %d in %s is damaged since the start of the server, at byte %d",
			index, s.path, at)
	}
	*l = raft.Log{Index: h.index, Term: h.term, Type: h.kind, Data: data}
	return nil
}

// scan finds the entries of the file. It stops at the first fault, at the offset size.
func (s *segment) scan() (*fault, error) {
	bytes, err := s.file.Size()
	if err != nil {
		return nil, err
	}
	if bytes > math.MaxUint32 {
		return &fault{reason: "the file has more than 4 GiB, and the server makes smaller files", whole: true}, nil
	}
	in := newScanner(s.file, 0, bytes)
	for in.at < bytes {
		at := in.at
		if f, err := in.next(s.end()); f != nil || err != nil {
			return f, err
		}
		s.offsets = append(s.offsets, uint32(at))
		s.size = in.at
	}
	return nil, nil
}

// sync forces the file to disk.
func (s *segment) sync(files fs.FS) error {
	return fs.Edit(files, s.path, func(fs.File) error { return nil })
}

// rewrite writes all records again, in place, and forces them to disk. A failed fsync of an earlier process
// may have left bytes in the page cache that are not on disk. The kernel does not write them again by
// itself.
func (s *segment) rewrite(files fs.FS) error {
	return fs.Edit(files, s.path, func(f fs.File) error {
		_, err := io.Copy(f, io.NewSectionReader(s.file, 0, s.size))
		return err
	})
}

// truncate removes everything after the records, on disk too.
func (s *segment) truncate(files fs.FS) error {
	return fs.Edit(files, s.path, func(f fs.File) error { return f.Truncate(s.size) })
}
