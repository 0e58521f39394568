package aof

import (
	"errors"
	"fmt"

	"cellserver/persistence/aof/format"
	"cellserver/store"
)

// Body collects effects as the commands of a log that has no files and begins in database 0. Integers are
// records instead (body_numbers.go). A [BodyApplier] applies both to another store. The zero value is empty.
type Body struct{ enc *encoder }

// Append appends the effects of a transaction, which has at least one. A [BodyApplier] applies all of them
// or none.
func (b *Body) Append(effects []store.Effect) {
	if b.enc == nil {
		b.enc = newEncoder()
		b.enc.db = 0
		b.enc.appenders[store.OpSet].append = b.enc.appendShort
	}
	b.enc.transaction(effects)
}

// appendShort appends the effect of a SET, in the shortest form.
func (e *encoder) appendShort(f *store.Effect) {
	if f.Value == nil {
		e.buf = appendNumber(e.buf, f)
	} else {
		e.buf = appendSet(e.buf, f)
	}
}

// Len returns the number of bytes.
func (b *Body) Len() int {
	if b.enc == nil {
		return 0
	}
	return len(b.enc.buf)
}

// AppendTo appends the commands to dst, and empties the body.
func (b *Body) AppendTo(dst []byte) []byte {
	if b.enc == nil {
		return dst
	}
	dst = append(dst, b.enc.buf...)
	b.enc.buf, b.enc.db = b.enc.buf[:0], 0
	if cap(b.enc.buf) > maxSpare {
		b.enc.buf = nil
	}
	return dst
}

// BodyApplier applies bodies to a store, in their order. It belongs to one goroutine.
type BodyApplier struct {
	apply applier
	queue commandQueue
	args  [][]byte
	own   bool
}

// Own reports whether a body has changed the server's own database since the last call.
func (b *BodyApplier) Own() (changed bool) {
	changed, b.own = b.own, false
	return changed
}

// NewBodyApplier returns an applier of bodies. tx is a transaction of the store, with the options that the
// changes need.
func NewBodyApplier(s *store.Store, tx *store.Tx) *BodyApplier {
	b := &BodyApplier{apply: applier{store: s, tx: tx}}
	b.apply.replayer = refuseCommand
	b.queue.of, b.queue.apply = &b.apply, b.applyQueued
	return b
}

// KeepExpired makes expired keys stay, or ends that: see [store.Tx].
func (b *BodyApplier) KeepExpired(on bool) { b.apply.tx.KeepExpired = on }

// refuseCommand is the [Replayer] of bodies.
func refuseCommand(_ int, args [][]byte) error {
	return fmt.Errorf("%.30q is not a command of an effect, or has other arguments", args[0])
}

var errUnclosed = errors.New("a transaction has no end")

// Apply applies a body. The keys count as used at now, in Unix nanoseconds. After an error the store has a
// part of the body, so the caller must drop the store.
func (b *BodyApplier) Apply(body []byte, now int64) error {
	b.apply.now, b.apply.db = now, 0
	b.queue.failed = nil
	err := b.commands(body)
	b.queue.drain()
	return errors.Join(b.queue.failed, err)
}

// commands applies the commands of a body, except for the last ones, which stay in the queue.
func (b *BodyApplier) commands(body []byte) error {
	open := false
	for at := 0; at < len(body) && b.queue.failed == nil; {
		parse := format.ParseCommand
		if body[at] != '*' {
			parse = parseNumber
		}
		args, size, err := parse(body[at:], b.args)
		if err != nil {
			return fmt.Errorf("byte %d: %w", at, err)
		}
		at += size
		switch {
		case string(args[0]) == "MULTI" && !open, string(args[0]) == "EXEC" && open:
			open = !open
			b.args = args
		default:
			b.args = b.queue.push(args, 0)
		}
	}
	if open {
		return errUnclosed
	}
	return nil
}

// applyQueued applies a command or a record.
func (b *BodyApplier) applyQueued(c *queuedCommand) error {
	if isNumber(c.args) {
		return b.apply.applyNumber(c.args)
	}
	b.own = b.own || isOwn(c.args)
	return b.apply.command(c.args)
}
