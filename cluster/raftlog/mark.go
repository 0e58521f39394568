package raftlog

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"
	"path/filepath"

	"cellserver/persistence/fs"
)

// mark is the last entry that the log has had. The file mark has it: a CRC-32C of the rest, the index in 8
// bytes, and the term in 8 bytes. The store writes the file after each write of the log, and before the node
// acknowledges the entries. It does not wait for the disk. So after a power cut the mark may be older than
// the log. It is newer only if the store does not sync its entries, and then no node goes on with them.
type mark struct{ index, term uint64 }

const markSize = 20

// markKey is the stable value of a store that has a mark.
const markKey = "HasMark"

func (s *Store) markPath() string { return filepath.Join(s.dir, "mark") }

// appendTo appends the contents of the file.
func (m mark) appendTo(b []byte) []byte {
	b = binary.LittleEndian.AppendUint64(append(b, 0, 0, 0, 0), m.index)
	b = binary.LittleEndian.AppendUint64(b, m.term)
	binary.LittleEndian.PutUint32(b, crc32.Checksum(b[sumSize:], castagnoli))
	return b
}

// loadMark reads the mark. A new directory gets one in keepMark.
func (s *Store) loadMark() error {
	b, err := fs.ReadFile(s.files, s.markPath(), markSize)
	switch missing := errors.Is(err, os.ErrNotExist); {
	case missing && s.options.Snapshot != nil && s.stable.values[markKey] != nil:
		return s.damaged(s.markPath(), 0, "the file is lost")
	case err != nil:
		return fs.IgnoreMissing(err)
	case len(b) == markSize && binary.LittleEndian.Uint32(b) == crc32.Checksum(b[sumSize:], castagnoli):
		s.mark = mark{binary.LittleEndian.Uint64(b[4:]), binary.LittleEndian.Uint64(b[12:])}
	case s.options.Snapshot != nil:
		return s.damaged(s.markPath(), 0, "its checksum is wrong")
	}
	return nil
}

// checkEnd returns an error if entries are missing that the node may have acknowledged. found is the fault at
// the end of the log, or nil.
func (s *Store) checkEnd(found *fault) error {
	if s.options.Snapshot == nil {
		return nil
	}
	snapshot, err := s.options.Snapshot()
	if err != nil {
		return err
	}
	var last, term uint64
	path, size := s.logDir(), int64(0)
	if n := len(s.segments); n > 0 && s.segments[n-1].end() > s.segments[0].first {
		first, seg := s.segments[0], s.segments[n-1]
		path, size, last = seg.path, seg.size, seg.end()-1
		if term, err = s.lastTerm(); err != nil {
			return err
		}
		if first.first > snapshot.Index+1 {
			const reason = "the log begins with entry %d, and no snapshot has the entries before it"
			return s.damaged(first.path, 0, fmt.Sprintf(reason, first.first))
		}
	}
	// A disk that ignores fsync may bring an older mark back. If another leader has replaced the end of the
	// log since then, the last entry has a later term.
	if last = max(last, snapshot.Index); last < s.mark.index && term <= s.mark.term {
		const lost = "the log ends with entry %d, and this node has acknowledged entries up to %d"
		reason := fmt.Sprintf(lost, last, s.mark.index)
		if found != nil {
			reason += ": " + found.reason
		}
		return s.damaged(path, size, reason)
	}
	return nil
}

func (s *Store) damaged(path string, at int64, reason string) error {
	return &DamageError{path, at, reason, s.dir}
}

// lastTerm returns the term of the last entry, and 0 without entries.
func (s *Store) lastTerm() (uint64, error) {
	for n := len(s.segments) - 1; n >= 0; n-- {
		seg := s.segments[n]
		if k := len(seg.offsets); k > 0 {
			var b [headerSize]byte
			_, err := seg.file.ReadAt(b[:], int64(seg.offsets[k-1]))
			return parseHeader(b[:]).term, err
		}
	}
	return 0, nil
}

// keepMark opens the file of the mark for writing, with the last entry of the log in it.
func (s *Store) keepMark() (err error) {
	if last := s.last(); last > s.mark.index || last > 0 && s.options.Snapshot != nil {
		s.mark.index = last
		if s.mark.term, err = s.lastTerm(); err != nil {
			return err
		}
	}
	if err := fs.WriteFile(s.files, s.markPath(), s.mark.appendTo(nil)); err != nil {
		return err
	}
	s.marks, err = s.files.Open(s.markPath(), os.O_WRONLY)
	return err
}

// moveMark writes the mark.
func (s *Store) moveMark(m mark) error {
	s.mark, s.markText = m, m.appendTo(s.markText[:0])
	_, err := s.marks.WriteAt(s.markText, 0)
	return err
}

// lowerMark makes the mark allow the deletion of the entries from an index on. It is on disk before they are
// deleted.
func (s *Store) lowerMark(from uint64) error {
	if s.mark.index < from {
		return nil
	}
	if err := s.moveMark(mark{from - 1, s.mark.term}); err != nil {
		return err
	}
	return s.marks.Sync()
}
