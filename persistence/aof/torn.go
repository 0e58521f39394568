package aof

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"

	"cellserver/persistence/aof/format"
	"cellserver/persistence/fs"
)

// isTorn reports whether the fault of a file at an offset is a torn tail. It is a torn tail if nothing after
// the offset is intact. An intact piece after the offset means damage. There are two exceptions: a value may
// look like such a piece, and a power cut may leave a hole of zeros.
func isTorn(f fs.File, at, size int64, fault error) (bool, error) {
	if errors.Is(fault, errBatchCut) && newWindow(io.NewSectionReader(f, at, size-at), at, size).endsInBatch() {
		return true, nil
	}
	w := newWindow(io.NewSectionReader(f, at, size-at), at, size)
	commandsCount := !errors.Is(fault, errBatchCut) && !errors.Is(fault, errBatchSum) // else they are commands of the batch itself
	var zeros holeFinder
	for w.need(1) {
		if w.at > at && (w.buf[0] == '#' || w.buf[0] == '*') && w.intact(commandsCount) {
			zeros.scan(w.buf[:1], w.at)
			return zeros.found, w.failed
		}
		n := 1 + bytes.IndexAny(w.buf[1:], "#*")
		if n == 0 {
			n = len(w.buf)
		}
		zeros.scan(w.buf[:n], w.at)
		w.skip(n)
	}
	return true, w.failed
}

// endsInBatch reports whether the file ends inside the batch that begins here. Then what follows is the
// commands of this batch, and their values may hold anything.
func (w *window) endsInBatch() bool {
	for size := format.HeaderSize; w.need(size); {
		w.skip(size)
		w.need(format.HeaderSize)
		if bytes.HasPrefix(w.buf, []byte(format.HeaderMark)) {
			return false
		}
		var err error
		if size, err = w.whole(commandSize); err != nil {
			return errors.Is(err, format.ErrIncomplete) && w.failed == nil
		}
	}
	return w.failed == nil
}

// commandSize returns the size of the command or the comment at the start of b.
func commandSize(b []byte) (size int, err error) {
	if len(b) > 0 && b[0] == '#' {
		return format.ParseComment(b)
	}
	_, size, err = format.ParseCommand(b, nil)
	return size, err
}

// holeFinder finds blocks that nobody wrote: runs of zeros that begin and end at the bounds of blocks. Zeros
// in stored values begin and end anywhere.
type holeFinder struct {
	zeros bool  // the last byte was zero
	from  int64 // the offset of the first zero of the run
	found bool
}

// blockSize is the smallest unit in bytes in which file systems write.
const blockSize = 512

// scan takes the next bytes of the file, which begin at an offset.
func (h *holeFinder) scan(b []byte, at int64) {
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

// intact reports whether an intact batch comes next or, if commandsCount is true, an intact command.
func (w *window) intact(commandsCount bool) bool {
	if w.buf[0] == '#' {
		_, _, err := w.batch()
		return err == nil
	}
	const maxSize = 64 << 10 // larger commands are not looked for
	w.need(maxSize)
	_, _, err := format.ParseCommand(w.buf[:min(len(w.buf), maxSize)], nil)
	return commandsCount && err == nil
}

// tornTail is the end of a log's last file after an incomplete write.
type tornTail struct {
	format.Entry
	at   int64 // the offset at which the torn tail begins
	size int64 // of the file
}

// CutTornTail copies the torn tail that a load has found to a file beside the log's file, and then removes
// the tail. It returns the path of the copy, or "" if there was no torn tail.
func (d *Dir) CutTornTail(l *Loaded) (kept string, err error) {
	t := l.tail
	if t == nil {
		return "", nil
	}
	path := d.pathOf(t.Entry)
	from, err := d.fs.Open(path, os.O_RDONLY)
	if err != nil {
		return "", err
	}
	defer from.Close()
	to, kept, err := createNext(d.fs, path+".torn-")
	if err != nil {
		return "", err
	}
	_, err = io.Copy(to, io.NewSectionReader(from, t.at, t.size-t.at))
	if err == nil {
		err = to.Sync()
	}
	if err = errors.Join(err, to.Close()); err != nil {
		return "", errors.Join(err, d.fs.Remove(kept))
	}
	if err := d.fs.SyncDir(filepath.Dir(path)); err != nil {
		return "", err
	}
	return kept, fs.Edit(d.fs, path, func(f fs.File) error { return f.Truncate(t.at) })
}

// createNext creates the first file of prefix1, prefix2 … that does not exist.
func createNext(files fs.FS, prefix string) (fs.File, string, error) {
	for n := 1; ; n++ {
		name := prefix + strconv.Itoa(n)
		f, err := files.Open(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
		if !errors.Is(err, os.ErrExist) {
			return f, name, err
		}
	}
}
