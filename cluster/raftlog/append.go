package raftlog

import (
	"fmt"
	"os"
	"path/filepath"

	"cellserver/persistence/fs"

	"github.com/hashicorp/raft"
)

// StoreLog stores an entry.
func (s *Store) StoreLog(l *raft.Log) error { return s.StoreLogs([]*raft.Log{l}) }

// StoreLogs stores entries at the end of the log. The entries of an empty log may begin at any index.
func (s *Store) StoreLogs(logs []*raft.Log) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	if err := s.check(logs); err != nil {
		return err
	}
	return s.change(func() error {
		for len(logs) > 0 {
			n, err := s.append(logs)
			if err != nil {
				return err
			}
			logs = logs[n:]
		}
		return nil
	})
}

// check returns an error for entries that the log cannot have.
func (s *Store) check(logs []*raft.Log) error {
	next := s.last() + 1
	for i, l := range logs {
		if i == 0 && next == 1 {
			next = l.Index
		}
		switch {
		case l.Index != next || l.Index == 0:
			return fmt.Errorf("entry %d cannot be stored: entry %d comes next in the log", l.Index, next)
		case len(l.Data) > maxData:
			return fmt.Errorf("entry %d has %d bytes, and an entry has at most %d",
				l.Index, len(l.Data), maxData)
		case len(l.Extensions) > 0:
			return fmt.Errorf("entry %d has extensions, and the log stores no extensions", l.Index)
		}
		next++
	}
	return nil
}

// append writes entries into the last file until it is full, and returns how many it wrote.
func (s *Store) append(logs []*raft.Log) (n int, err error) {
	if err := s.makeRoom(logs[0].Index); err != nil {
		return 0, err
	}
	seg := s.segments[len(s.segments)-1]
	size := seg.size
	s.out.offsets = s.out.offsets[:0]
	for n < len(logs) && size < s.options.SegmentSize {
		s.out.offsets = append(s.out.offsets, uint32(size))
		if err := s.out.add(s.tail, logs[n]); err != nil {
			return 0, err
		}
		size += recordSize(logs[n])
		n++
	}
	err = s.out.flush(s.tail)
	if err == nil && s.options.Sync {
		err = s.tail.Sync()
	}
	if err == nil {
		err = s.moveMark(mark{logs[n-1].Index, logs[n-1].Term})
	}
	if err != nil {
		return 0, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.first == 0 {
		s.first = logs[0].Index
	}
	seg.offsets = append(seg.offsets, s.out.offsets...)
	seg.size = size
	return n, nil
}

// makeRoom makes sure that the last file has space for an entry: it begins another file if the last one is
// full.
func (s *Store) makeRoom(index uint64) error {
	if n := len(s.segments); n > 0 && s.segments[n-1].size < s.options.SegmentSize {
		return nil
	}
	if err := s.closeTail(); err != nil {
		return err
	}
	seg := &segment{path: s.pathOf(index), first: index}
	var err error
	if s.tail, err = s.files.Open(seg.path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND); err != nil {
		return err
	}
	if s.options.Sync {
		if err := s.syncNames(); err != nil {
			return err
		}
	}
	if seg.file, err = s.files.Open(seg.path, os.O_RDONLY); err != nil {
		return err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.segments = append(s.segments, seg)
	return nil
}

func (s *Store) pathOf(first uint64) string {
	return filepath.Join(s.logDir(), fmt.Sprintf("%020d%s", first, extension))
}

// output collects records for one write.
type output struct {
	buf     []byte
	offsets []uint32 // of the records of the current write
}

// maxBuffer is how many bytes may collect before they are written. Larger data is written without a copy.
const maxBuffer = 1 << 20

// add adds a record. It writes what has collected if that is enough.
func (o *output) add(f fs.File, l *raft.Log) error {
	o.buf = appendHeader(o.buf, l)
	if len(l.Data) < maxBuffer {
		o.buf = append(o.buf, l.Data...)
		if len(o.buf) < maxBuffer {
			return nil
		}
		return o.flush(f)
	}
	if err := o.flush(f); err != nil {
		return err
	}
	_, err := f.Write(l.Data)
	return err
}

// flush writes what has collected.
func (o *output) flush(f fs.File) error {
	if len(o.buf) == 0 {
		return nil
	}
	_, err := f.Write(o.buf)
	o.buf = o.buf[:0]
	return err
}
