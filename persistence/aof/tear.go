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

// holeSize is the unit in which disks write, and power cuts leave nothing but zeros.
const holeSize = 512

// isTorn reports whether what is wrong with a file from an offset on is explained by a
// write that was cut short: then nothing after it is whole. Where something is, the file
// was damaged later, but for a hole of zeros that a file system left when the power went.
func isTorn(f fs.File, at, size int64, why error) (bool, error) {
	w := newWindow(io.NewSectionReader(f, at, size-at), at, size)
	commands := !errors.Is(why, errBatchCut) && !errors.Is(why, errBatchSum) // else those of the batch itself
	zeros := false
	for w.need(1) {
		i := bytes.IndexAny(w.buf, "#*")
		if i < 0 {
			i = len(w.buf)
		}
		zeros = zeros || hasHole(w.buf[:i], w.at)
		if w.skip(i); len(w.buf) == 0 {
			continue
		}
		if w.at > at && w.intact(commands) {
			return zeros, w.failed
		}
		w.skip(1)
	}
	return true, w.failed
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

// hasHole reports whether b, which is at an offset of its file, has a block of zeros.
func hasHole(b []byte, at int64) bool {
	from := int(-at & (holeSize - 1))
	for ; from+holeSize <= len(b); from += holeSize {
		if bytes.Count(b[from:from+holeSize], []byte{0}) == holeSize {
			return true
		}
	}
	return false
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
