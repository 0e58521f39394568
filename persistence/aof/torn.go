package aof

import (
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"cellserver/persistence/aof/format"
	"cellserver/persistence/fs"
)

// isTorn reports whether the fault of a file at an offset is a torn tail. It is a torn tail if nothing after
// the offset is intact. An intact piece after the offset means damage. There are two exceptions: a value in a
// batch may look like such a piece, and a power cut may leave a hole of zeros.
func isTorn(f fs.File, at, size int64, fault error) (bool, error) {
	from, commandsCount := at+1, true
	if errors.Is(fault, errBatchCut) || errors.Is(fault, errBatchSum) {
		var err error
		if from, err = endOfBatch(f, at, size); err != nil {
			return false, err
		}
		commandsCount = false // the batch may have more commands than its header says
	}
	w := newWindow(io.NewSectionReader(f, at, size-at), at, size)
	var zeros holeFinder
	for w.need(1) {
		if w.at >= from && (w.buf[0] == '#' || w.buf[0] == '*') && w.intact(commandsCount) {
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

// endOfBatch returns the offset at which the batch at an offset ends. Before it, values may hold anything. The
// header says where it ends, if what stands there confirms it. Else the header may be damaged, and the commands
// say how far the batch goes at least.
func endOfBatch(f fs.File, at, size int64) (int64, error) {
	w := newWindow(io.NewSectionReader(f, at, size-at), at, size)
	if !w.need(format.HeaderSize) {
		return size, w.failed
	}
	_, n, _ := format.ParseHeader(w.buf)
	end := at + int64(format.HeaderSize+n)
	w = newWindow(io.NewSectionReader(f, at, min(end, size)-at), at, min(end, size))
	w.need(format.HeaderSize)
	for n = format.HeaderSize; w.need(n); {
		w.skip(n)
		w.need(format.HeaderSize)
		if bytes.HasPrefix(w.buf, []byte(format.HeaderMark)) {
			return w.at, w.failed
		}
		var err error
		if n, err = w.whole(commandSize); errors.Is(err, format.ErrIncomplete) && end > size {
			return size, w.failed
		} else if err != nil {
			break
		}
	}
	if endConfirmed(f, end, size) {
		return min(end, size), w.failed
	}
	return w.at, w.failed
}

// endConfirmed reports whether a batch may end at an offset: at the end of the file, before another header or
// before zeros that nobody wrote. If the file is shorter, only such zeros at its end confirm the offset.
func endConfirmed(f fs.File, end, size int64) bool {
	if end > size {
		end = size - 1
	}
	var next [len(format.HeaderMark)]byte
	n, _ := f.ReadAt(next[:], end)
	return strings.HasPrefix(format.HeaderMark, strings.TrimRight(string(next[:n]), "\x00"))
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
