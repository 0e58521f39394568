package aof

import (
	"errors"
	"fmt"

	"cellserver/internal/decimal"
	"cellserver/persistence/aof/format"
	"cellserver/store"
)

// codecs has a row for the effects that all types share, one for strings, and one for all types of
// collections.
var codecs = [...]*codec{
	&keyspaceCodec,
	&stringCodec,
	&collectionCodec,
}

// newEncoder returns an encoder for every effect in the table.
func newEncoder() *encoder {
	e := &encoder{db: noDB}
	for _, c := range codecs {
		for op, a := range c.newAppenders(e) {
			e.appenders[op] = a
		}
	}
	return e
}

// transaction appends the effects of one transaction, which has at least one. A
// reader applies all of its commands or none.
func (e *encoder) transaction(effects []store.Effect) {
	first := &effects[0]
	if first.DB != e.db {
		e.selectDB(first)
	}
	if a := &e.appenders[first.Op]; len(effects) == 1 && (!a.several || first.DB == store.Own) {
		e.effect(first)
		return
	}
	e.several = true
	e.open()
	for i := range effects {
		e.selectDB(&effects[i])
		e.effect(&effects[i])
	}
	e.buf = append(e.buf, execCommand...)
	e.closed = len(e.buf)
	e.several = false
}

const (
	multiCommand = "*1\r\n$5\r\nMULTI\r\n"
	execCommand  = "*1\r\n$4\r\nEXEC\r\n"

	// maxJoined bounds joined transactions, in bytes. A reader holds all commands up to the EXEC.
	maxJoined = 64 << 10
)

// open begins a MULTI. If the last bytes are the EXEC of a transaction of the same write, both become one
// MULTI … EXEC: they reach the disk together anyway. It saves 29 bytes.
func (e *encoder) open() {
	if e.joins && e.closed == len(e.buf) && e.closed > 0 && len(e.buf)-e.opened < maxJoined {
		e.buf = e.buf[:len(e.buf)-len(execCommand)]
		return
	}
	e.opened = len(e.buf)
	e.buf = append(e.buf, multiCommand...)
}

// selectDB selects the effect's database.
func (e *encoder) selectDB(f *store.Effect) {
	if f.DB == e.db || f.DB == store.Own || f.Op == store.OpSwapDB {
		return
	}
	e.db = f.DB
	e.buf = appendSelect(e.buf, f.DB)
}

func appendSelect(b []byte, db int) []byte {
	return format.AppendInt(append(b, "*2\r\n$6\r\nSELECT\r\n"...), int64(db))
}

// knownCommands has the commands of all codecs.
var knownCommands = func() map[string]*knownCommand {
	all := map[string]*knownCommand{}
	for _, c := range codecs {
		for name, apply := range c.commands {
			all[name] = &knownCommand{name, apply}
		}
	}
	return all
}()

// command applies a command. It applies the commands of the table itself, because that is fast. The
// replayer runs all other commands. If there is no memory for the result, the error is [store.ErrExhausted].
func (a *applier) command(args [][]byte) (err error) {
	defer store.RecoverExhausted(&err)
	known := a.last
	if known == nil || known.name != string(args[0]) {
		known = knownCommands[string(args[0])]
	}
	if known != nil {
		a.last = known
		if known.apply(a, args) {
			return nil
		}
	}
	switch {
	case string(args[0]) == "SELECT":
		return a.selectDB(args)
	case isOwn(args):
		return a.own(args[1])
	case format.EqualWord(args[0], "CL.THROTTLE"):
		return errVerbatim
	}
	return a.replayer(a.db, args)
}

func (a *applier) selectDB(args [][]byte) error {
	if len(args) == 2 {
		if db, ok := decimal.Parse(args[1]); ok && db >= 0 && db < int64(a.store.Databases()) {
			a.db = int(db)
			return nil
		}
	}
	return fmt.Errorf("there are only %d databases, and %q is not one of them: set databases to a higher number", a.store.Databases(), args[1:])
}

// prefetch starts to fetch the key of a later command from memory.
func (a *applier) prefetch(args [][]byte) {
	if len(args) > 1 {
		a.tx.Prefetch(a.db, args[1])
	}
}

// errVerbatim is the error of a log that a Redis with the redis-cell module wrote.
var errVerbatim = errors.New("the redis-cell module logged CL.THROTTLE itself, not its result: " +
	"a replay would throttle for requests of the past")
