package aof

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
)

// reader applies the commands of one file. Each waits until a few more were read, so that what
// the store has of its key comes from memory meanwhile.
type reader struct {
	*window
	loader  *loader
	args    [][]byte
	stuck   int // bytes of an unfinished transaction that are as they should be
	waiting [readAhead]logged
	next    int      // of those, the oldest
	refused *refusal // the first command that could not be applied, after which none is
}

// readAhead is for how many commands the store foresees.
const readAhead = 3

// logged is a command that was read, in the window's memory.
type logged struct {
	args [][]byte // none: nobody waits
	at   int64    // offset in the file of where it begins, or the transaction that it belongs to
}

func newReader(l *loader, w *window) *reader {
	r := &reader{window: w, loader: l}
	w.moves = r.drain
	return r
}

// refusal is a command that cannot be applied, at an offset in the file.
type refusal struct {
	offset int64
	reason error
}

func (r *refusal) Error() string { return r.reason.Error() }
func (r *refusal) Unwrap() error { return r.reason }

func isRefusal(err error) bool {
	var refused *refusal
	return errors.As(err, &refused)
}

// damage is what stopped the reader, with its place.
func (r *reader) damage(path string, stop error) error {
	offset := r.at
	var refused *refusal
	if errors.As(stop, &refused) {
		offset = refused.offset
	}
	return &Damage{File: path, Offset: offset, Reason: stop, Advice: advise(path, offset, stop)}
}

// run applies everything up to the end of the file, or up to what stops it: then the
// reader stands where the last whole piece ends.
func (r *reader) run() error {
	err := r.read()
	r.drain()
	if r.refused != nil {
		return r.refused
	}
	return err
}

func (r *reader) read() error {
	for told := r.at; r.refused == nil && r.need(1); {
		size, err := r.piece()
		if err != nil {
			return err
		}
		r.skip(size)
		if g := &r.loader.growth; r.at >= g.next {
			g.look(r.at, r.loader.apply.db)
		}
		if r.at-told >= windowSize {
			told = r.at
			r.loader.advance(told)
		}
	}
	r.loader.advance(r.at)
	return nil
}

// piece reads what comes next: a batch, a comment, or a transaction that stands for itself.
func (r *reader) piece() (size int, err error) {
	r.need(headerSize)
	switch {
	case r.buf[0] != '#':
		return r.whole(func(b []byte) (int, error) { return r.transaction(b, r.at) })
	case !bytes.HasPrefix(r.buf, []byte(headerMark)):
		return r.whole(parseComment)
	}
	commands, size, err := r.batch()
	if err != nil {
		return 0, err
	}
	for rest := commands; len(rest) > 0; {
		at := r.at + int64(size-len(rest))
		n, err := r.transaction(rest, at)
		if err != nil {
			return 0, &refusal{at, err}
		}
		rest = rest[n:]
	}
	return size, nil
}

// whole lets parse have what comes next, once it is there in whole.
func (r *reader) whole(parse func([]byte) (int, error)) (size int, err error) {
	for {
		size, err = parse(r.buf)
		if !errors.Is(err, errCut) || !r.more() {
			return size, err
		}
	}
}

// transaction reads the command at the start of b, which is at an offset in the file, or
// everything from MULTI to EXEC. When the end is not there, errCut, nothing of it is applied.
func (r *reader) transaction(b []byte, at int64) (size int, err error) {
	r.stuck = 0
	if size, err = r.command(b); err != nil {
		return 0, err
	}
	if !is(r.args[0], "MULTI") {
		r.wait(at)
		return size, nil
	}
	from := size
	for !is(r.args[0], "EXEC") {
		n, err := r.command(b[size:])
		if err != nil {
			r.stuck = size
			return 0, err
		}
		size += n
	}
	for next := from; ; {
		n, _ := r.command(b[next:])
		if next += n; next == size {
			return size, nil // that was EXEC
		}
		r.wait(at)
	}
}

// command reads the command at the start of b, and comments before it.
func (r *reader) command(b []byte) (size int, err error) {
	for len(b) > size && b[size] == '#' {
		n, err := parseComment(b[size:])
		if err != nil {
			return 0, err
		}
		size += n
	}
	var n int
	r.args, n, err = parseCommand(b[size:], r.args)
	return size + n, err
}

// wait lets the command that was read wait, and applies the one that has waited longest.
func (r *reader) wait(at int64) {
	c := &r.waiting[r.next]
	r.apply(c)
	c.at, c.args, r.args = at, r.args, c.args
	r.next = (r.next + 1) % readAhead
	r.loader.apply.foresee(c.args)
}

// drain applies all commands that wait.
func (r *reader) drain() {
	for range r.waiting {
		r.apply(&r.waiting[r.next])
		r.next = (r.next + 1) % readAhead
	}
	r.loader.apply.tx.DropPrefetched()
}

// apply applies a command that has waited, if there is one.
func (r *reader) apply(c *logged) {
	if len(c.args) == 0 || r.refused != nil {
		return
	}
	r.loader.loaded.Commands++
	if err := r.loader.apply.apply(c.args); err != nil {
		r.refused = r.cannot(c, err)
	}
	c.args = c.args[:0]
}

// cannot says what comes of a command that cannot be applied: it is left out, or refused.
func (r *reader) cannot(c *logged, err error) *refusal {
	name := strings.ToUpper(string(c.args[0][:min(len(c.args[0]), 30)]))
	switch {
	case errors.Is(err, errVerbatim):
		return &refusal{c.at, err}
	case r.loader.options.RDB.SkipUnsupported:
		r.loader.loaded.Skipped[name]++
		return nil
	}
	return &refusal{c.at, fmt.Errorf("%q cannot be applied: %w", name, err)}
}
