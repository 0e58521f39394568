package aof

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"cellserver/internal/decimal"
	"cellserver/persistence/aof/format"
)

// reader applies the commands of one file, in their order.
type reader struct {
	*window
	apply    *applier
	progress func(at int64)
	// skipUnsupported makes the reader skip and count commands that it cannot apply, instead of
	// refusing them.
	skipUnsupported bool
	skipped         map[string]int
	commands        int64 // how many were applied or skipped
	time            int64 // the last Unix second in a comment

	args     [][]byte
	unclosed int // bytes of intact commands after a MULTI whose EXEC is not there
	queue    commandQueue
	refused  *refusal // the first command that cannot be applied; none is applied after it
}

// refusal is the error of a command that cannot be applied, at an offset in the file.
type refusal struct {
	offset int64
	reason error
}

func (r *refusal) Error() string { return r.reason.Error() }
func (r *refusal) Unwrap() error { return r.reason }

// run applies the commands up to the end of the file or a fault. After a fault the reader is at the end of
// the last intact piece.
func (r *reader) run() error {
	r.beforeReuse = r.drain
	err := r.readAll()
	r.drain()
	if r.refused != nil {
		return r.refused
	}
	return err
}

func (r *reader) readAll() error {
	for reported := r.at; r.refused == nil && r.need(1); {
		size, err := r.piece()
		if err != nil {
			return err
		}
		r.skip(size)
		if r.at-reported >= windowSize {
			reported = r.at
			r.progress(r.at)
		}
	}
	r.progress(r.at)
	return nil
}

// piece reads the next piece of the file: a batch, a comment, or a transaction outside a batch.
func (r *reader) piece() (size int, err error) {
	r.need(format.HeaderSize)
	switch {
	case r.buf[0] != '#':
		return r.whole(func(b []byte) (int, error) { return r.transaction(b, r.at) })
	case !bytes.HasPrefix(r.buf, []byte(format.HeaderMark)):
		return r.whole(r.comment)
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

// whole calls parse with the next bytes, and reads more bytes while they are incomplete.
func (r *reader) whole(parse func([]byte) (int, error)) (size int, err error) {
	for {
		size, err = parse(r.buf)
		if !errors.Is(err, format.ErrIncomplete) || !r.more() {
			return size, err
		}
	}
}

// transaction reads the command at the start of b, or everything from MULTI to EXEC. at is the offset of b
// in the file. If the EXEC is not there, the error is ErrIncomplete and nothing is applied.
func (r *reader) transaction(b []byte, at int64) (size int, err error) {
	r.unclosed = 0
	if size, err = r.parse(b); err != nil {
		return 0, err
	}
	if !format.EqualWord(r.args[0], "MULTI") {
		r.enqueue(at)
		return size, nil
	}
	first := size
	for !format.EqualWord(r.args[0], "EXEC") {
		n, err := r.parse(b[size:])
		if err != nil {
			r.unclosed = size
			return 0, err
		}
		size += n
	}
	for next := first; ; {
		n, _ := r.parse(b[next:])
		if next += n; next == size {
			return size, nil // the last command is EXEC
		}
		r.enqueue(at)
	}
}

// parse reads the command at the start of b into args, and the comments before it.
func (r *reader) parse(b []byte) (size int, err error) {
	for len(b) > size && b[size] == '#' {
		n, err := r.comment(b[size:])
		if err != nil {
			return 0, err
		}
		size += n
	}
	var n int
	r.args, n, err = format.ParseCommand(b[size:], r.args)
	return size + n, err
}

// comment reads the comment at the start of b. It may be the time of the commands after it.
func (r *reader) comment(b []byte) (size int, err error) {
	size, err = format.ParseComment(b)
	if text, ok := bytes.CutPrefix(b[:size], []byte(format.TimeMark)); ok && err == nil {
		if second, ok := decimal.Parse(bytes.TrimRight(text, "\r\n")); ok {
			r.time = max(r.time, second)
		}
	}
	return size, err
}

// enqueue puts the command in args into the queue, and applies the oldest command of the queue.
func (r *reader) enqueue(at int64) {
	c := r.queue.next()
	r.applyQueued(c)
	c.at, c.args, r.args = at, r.args, c.args
	r.apply.prefetch(c.args)
}

// drain applies all commands of the queue.
func (r *reader) drain() {
	for range prefetchDistance {
		r.applyQueued(r.queue.next())
	}
	r.apply.tx.DropPrefetched()
}

// applyQueued applies a command of the queue, if there is one in the slot.
func (r *reader) applyQueued(c *queuedCommand) {
	if len(c.args) == 0 || r.refused != nil {
		return
	}
	r.commands++
	if err := r.apply.command(c.args); err != nil {
		r.refused = r.refuse(c, err)
	}
	c.args = c.args[:0]
}

// refuse returns the refusal of a command that cannot be applied, or nil if the command is skipped.
func (r *reader) refuse(c *queuedCommand, err error) *refusal {
	name := strings.ToUpper(string(c.args[0][:min(len(c.args[0]), 30)]))
	switch {
	case errors.Is(err, errVerbatim):
		return &refusal{c.at, err}
	case r.skipUnsupported:
		r.skipped[name]++
		return nil
	}
	return &refusal{c.at, fmt.Errorf("%q cannot be applied: %w", name, err)}
}
