package raftlog

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// extension is the end of the names of the log's files. Other files in the folder are ignored.
const extension = ".log"

// DamageError is the error of a log that an incomplete write does not explain.
type DamageError struct {
	Path   string
	Offset int64
	Reason string
	dir    string
}

// Error says where the damage is, and what to do.
func (e *DamageError) Error() string {
	return fmt.Sprintf("the log of the cluster is damaged: %s at byte %d: %s. Restore the file from a "+
		"copy, or remove the directory %s: "+
		"then the node joins the cluster as a new one and gets all data from the leader", e.Path, e.Offset, e.Reason, e.dir)
}

// open reads everything, and prepares the store for changes.
func (s *Store) open() error {
	for _, dir := range []string{s.dir, s.logDir()} {
		if err := s.files.Mkdir(dir); err != nil {
			return err
		}
	}
	known, err := s.stable.load(s.files, s.stablePath())
	if err != nil {
		return err
	}
	if err := s.loadMark(); err != nil {
		return err
	}
	if err := s.load(); err != nil {
		return err
	}
	if len(s.segments) > 0 {
		if !known {
			return fmt.Errorf("%s is lost: it has the term and the vote of the node. Restore the file "+
				"from a copy, or remove the directory %s: "+
				"then the node joins the cluster as a new one and gets all data from the leader", s.stablePath(), s.dir)
		}
		s.first = s.segments[0].first
	}
	if err := s.settle(); err != nil {
		return err
	}
	if err := s.keepMark(); err != nil {
		return err
	}
	return s.openTail()
}

// load finds the entries of all files.
func (s *Store) load() error {
	firsts, err := s.list()
	if err != nil {
		return err
	}
	for i, first := range firsts {
		found, err := s.loadFile(first)
		if err != nil {
			return err
		}
		if found == nil {
			continue
		}
		seg := s.segments[i]
		torn := false
		if i == len(firsts)-1 && !found.whole {
			if torn, err = seg.isTorn(); err != nil {
				return err
			}
		}
		if !torn {
			return s.damaged(seg.path, seg.size, found.reason)
		}
		if err := s.checkEnd(found); err != nil {
			return err
		}
		if err := seg.truncate(s.files); err != nil {
			return err
		}
		return s.dropEmpty()
	}
	if err := s.checkEnd(nil); err != nil {
		return err
	}
	return s.dropEmpty()
}

// list returns the indexes in the names of the log's files, in order.
func (s *Store) list() (firsts []uint64, err error) {
	names, err := s.files.List(s.logDir())
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		digits, ok := strings.CutSuffix(name, extension)
		if first, err := strconv.ParseUint(digits, 10, 64); ok && err == nil && len(digits) == 20 && first > 0 {
			firsts = append(firsts, first)
		}
	}
	return firsts, nil
}

// loadFile finds the entries of a file, which come after those of the files before it.
func (s *Store) loadFile(first uint64) (*fault, error) {
	seg := &segment{path: s.pathOf(first), first: first}
	var err error
	if seg.file, err = s.files.Open(seg.path, os.O_RDONLY); err != nil {
		return nil, err
	}
	s.segments = append(s.segments, seg)
	if n := len(s.segments); n > 1 && s.segments[n-2].end() != first {
		reason := fmt.Sprintf("the file begins with entry %d, and the file before it ends with entry %d",
			first, s.segments[n-2].end()-1)
		return &fault{reason: reason, whole: true}, nil
	}
	return seg.scan()
}

// dropEmpty removes files without entries from the end: the process ended between the creation of a file and
// the write.
func (s *Store) dropEmpty() error {
	for n := len(s.segments) - 1; n >= 0 && len(s.segments[n].offsets) == 0; n-- {
		if err := s.remove(n, true); err != nil {
			return err
		}
	}
	return nil
}

// settle makes sure that the files on disk are those that were read.
func (s *Store) settle() error {
	if err := s.files.SyncDir(s.dir); err != nil || !s.options.Sync {
		return err
	}
	if n := len(s.segments); n > 0 {
		if err := s.segments[n-1].rewrite(s.files); err != nil {
			return err
		}
	}
	return s.syncAll()
}

func (s *Store) stablePath() string { return filepath.Join(s.dir, "stable") }
