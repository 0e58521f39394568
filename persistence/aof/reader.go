package aof

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"strings"

	"cellserver/internal/decimal"
	"cellserver/persistence/aof/format"
	"cellserver/store"
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
	r.queue.of, r.queue.apply, r.beforeReuse = r.apply, r.applyQueued, r.queue.drain
	err := r.readAll()
	r.queue.drain()
	return cmp.Or(r.queue.failed, err)
}

func (r *reader) readAll() error {
	for reported := r.at; r.queue.failed == nil && r.need(1); {
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

// transaction reads the command at the start of b, or everything from MULTI to EXEC. at is the offset of b
// in the file. If the EXEC is not there, the error is ErrIncomplete and nothing is applied.
func (r *reader) transaction(b []byte, at int64) (size int, err error) {
	r.unclosed = 0
	if size, err = r.parse(b); err != nil {
		return 0, err
	}
	if !format.EqualWord(r.args[0], "MULTI") {
		r.args = r.queue.push(r.args, at)
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
		r.args = r.queue.push(r.args, at)
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
			r.time = format.TimeAfter(r.time, second)
		}
	}
	return size, err
}

// applyQueued applies a command. Its error is a [refusal].
func (r *reader) applyQueued(c *queuedCommand) error {
	r.commands++
	err := r.apply.command(c.args)
	if err == nil {
		return nil
	}
	name := strings.ToUpper(string(c.args[0][:min(len(c.args[0]), 30)]))
	switch {
	case errors.Is(err, errVerbatim), errors.Is(err, store.ErrExhausted):
		return &refusal{c.at, err}
	case r.skipUnsupported:
		r.skipped[name]++
		return nil
	}
	return &refusal{c.at, fmt.Errorf("%q cannot be applied: %w", name, err)}
}
