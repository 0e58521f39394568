package aof

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"cellserver/persistence/fs"
)

// isTorn reports whether what is wrong with a file from an offset on is explained by a
// write that was cut short: then nothing after it is whole. Where something is, the file
// was damaged later, but for a hole of zeros that a file system left when the power went.
func isTorn(f fs.File, at, size int64, why error) (bool, error) {
	w := newWindow(io.NewSectionReader(f, at, size-at), at, size)
	commands := !errors.Is(why, errBatchCut) && !errors.Is(why, errBatchSum) // else those of the batch itself
	var zeros holes
	for w.need(1) {
		if w.at > at && (w.buf[0] == '#' || w.buf[0] == '*') && w.intact(commands) {
			zeros.look(w.buf[:1], w.at)
			return zeros.found, w.failed
		}
		n := 1 + bytes.IndexAny(w.buf[1:], "#*")
		if n == 0 {
			n = len(w.buf)
		}
		zeros.look(w.buf[:n], w.at)
		w.skip(n)
	}
	return true, w.failed
}

// holes looks for blocks that were never written: runs of zeros that begin and end where
// blocks do. Zeros that somebody stored begin and end anywhere.
type holes struct {
	zeros bool  // the last byte was one
	from  int64 // offset of the first of them
	found bool
}

// blockSize is the smallest unit in which file systems write.
const blockSize = 512

// look has the next bytes of the file, which are at an offset of it.
func (h *holes) look(b []byte, at int64) {
	for i, c := range b {
		here := at + int64(i)
		switch {
		case c == 0 && !h.zeros:
			h.zeros, h.from = true, here
		case c != 0 && h.zeros:
			h.zeros = false
			h.found = h.found || (h.from|here)%blockSize == 0
		}
	}
}

// intact reports whether a batch, or a command if they count, comes next.
func (w *window) intact(commands bool) bool {
	if w.buf[0] == '#' {
		_, _, err := w.batch()
		return err == nil
	}
	const longest = 64 << 10 // what is longer is not looked for
	w.need(longest)
	_, _, err := parseCommand(w.buf[:min(len(w.buf), longest)], nil)
	return commands && err == nil
}

// tear is the end of a log's last file, where a write was cut short.
type tear struct {
	entry
	at   int64 // offset from which on the file is of no use
	size int64 // of the file
}

// Mend cuts a torn end off, and returns the path of the copy that is kept of it; "" when
// there was nothing to do.
func (d *Dir) Mend(l *Loaded) (kept string, err error) {
	if l.tear == nil {
		return "", nil
	}
	return l.tear.cut(d.fs, d.path)
}

// cut removes a torn tail, after keeping a copy of it beside the file, whose name it returns.
func (t *tear) cut(files fs.FS, dir string) (kept string, err error) {
	path := filepath.Join(dir, t.name)
	from, err := files.Open(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, kept, err := createNext(files, path+".torn-")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, io.NewSectionReader(from, t.at, t.size-t.at))
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return "", errors.Join(err, files.Remove(kept))
	}
	if err := files.SyncDir(dir); err != nil {
		return "", err
	}
	return kept, t.truncate(files, path)
}

func (t *tear) truncate(files fs.FS, path string) error {
	f, err := files.Open(path, os.O_WRONLY)
	if err != nil {
		return err
	}
	err = f.Truncate(t.at)
	if err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// createNext creates the first file of prefix1, prefix2 … that is not there.
func createNext(files fs.FS, prefix string) (fs.File, string, error) {
	for n := 1; ; n++ {
		name := prefix + strconv.Itoa(n)
		f, err := files.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if !errors.Is(err, os.ErrExist) {
			return f, name, err
		}
	}
}
