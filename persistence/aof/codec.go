package aof

import (
	"bytes"
	"fmt"
	"strconv"

	"cellserver/persistence/aof/format"
	"cellserver/store"
)

// codec writes one group of effects as commands, and applies these commands.
type codec struct {
	// newAppenders returns the functions that append the commands of the effects to e. An encoder calls
	// newAppenders once, so the functions may keep buffers and callbacks: then no effect costs an
	// allocation.
	newAppenders func(e *encoder) map[store.Op]appender
	// commands has a function for each command that the appenders write.
	commands map[string]applyFunc
}

// appender appends an effect as commands.
type appender struct {
	append func(*store.Effect)
	// several: one effect becomes several commands, so they need MULTI and EXEC.
	several bool
}

// applyFunc applies a command if it has the form that the appenders write. If the command has another form,
// applyFunc changes nothing and reports false.
type applyFunc func(a *applier, args [][]byte) bool

// exactly is apply for a command of n words.
func exactly(n int, apply applyFunc) applyFunc {
	return func(a *applier, args [][]byte) bool { return len(args) == n && apply(a, args) }
}

// encoder collects effects as the commands of a log. Most commands say what a key holds, not how it changes.
// RENAME and MOVE name keys, because a value that moves would be logged as a whole. The changes of some
// types say how the value changes ([store.Type]). A log applies every command once.
type encoder struct {
	buf       []byte
	db        int   // the database of the next command; noDB at the start of a log
	several   bool  // the effects belong to a transaction of several
	joins     bool  // a transaction of several effects may share the MULTI … EXEC of the one before
	opened    int   // where the last MULTI begins
	closed    int   // where its EXEC ends; 0 if it is not in buf
	stamped   int64 // the Unix second of the last time that the file has
	appenders [256]appender
}

// noDB is the database of a log that has not selected one.
const noDB = store.Own - 1

// reset begins a file, with its first batch.
func (e *encoder) reset() {
	e.db, e.stamped = noDB, 0
	e.begin(e.buf)
}

// begin begins a batch in the memory of a buffer: with the space for its header.
func (e *encoder) begin(buf []byte) {
	e.buf, e.closed = append(buf[:0], format.EmptyHeader[:]...), 0
}

// stamp appends the time of the next effects, once a second, in the form of Redis's aof-timestamp-enabled.
// now is in Unix nanoseconds. After the next start, the time goes on from there if the clock of the machine
// is behind. So a time that was set back takes effect, too.
func (e *encoder) stamp(now int64) {
	second := format.TimeAfter(e.stamped, now/1e9)
	if second == e.stamped {
		return
	}
	e.stamped = second
	e.buf = append(strconv.AppendInt(append(e.buf, format.TimeMark...), e.stamped, 10), "\r\n"...)
	e.closed = 0
}

// bulk appends an argument.
func (e *encoder) bulk(arg []byte) { e.buf = format.AppendBulk(e.buf, arg) }

// head appends the beginning of a command, which is text, and its key.
func (e *encoder) head(text string, key []byte) {
	e.buf = format.AppendBulk(append(e.buf, text...), key)
}

// expire appends the expiry of a key, in Unix milliseconds.
func (e *encoder) expire(key []byte, at int64) {
	e.head("*3\r\n$9\r\nPEXPIREAT\r\n", key)
	e.buf = format.AppendInt(e.buf, at)
}

// ownMark begins the argument of an ECHO with effects on the server's own database. The commands follow.
const ownMark = "cellserver-own\r\n"

// isOwn reports whether a command has effects on the server's own database.
func isOwn(args [][]byte) bool {
	return len(args) == 2 && string(args[0]) == "ECHO" && bytes.HasPrefix(args[1], []byte(ownMark))
}

// Replayer runs a command that this package does not know. Logs of a Redis have such commands. A
// Replayer must not expire keys, because the log itself deletes them. Its error ends the loading.
type Replayer func(db int, args [][]byte) error

// applier applies the commands of a log to a store.
type applier struct {
	store    *store.Store
	tx       *store.Tx
	now      int64 // Unix nanoseconds: the keys count as used at this time
	replayer Replayer
	db       int
	last     *knownCommand // most commands of a log repeat the command before: this saves the look-up
}

// knownCommand is a command of a codec.
type knownCommand struct {
	name  string
	apply applyFunc
}

// begin begins a transaction on a key.
func (a *applier) begin(key []byte) { a.tx.BeginKey(a.now, a.db, key) }

// change changes a key in a transaction of its own. It returns true. `do` has no pointer, so that the entry
// needs no memory of the heap.
func (a *applier) change(key []byte, do func(store.Entry)) bool {
	a.begin(key)
	defer a.tx.End()
	do(a.tx.Write(key))
	return true
}

// Effects on the server's own database ([store.Own]) are commands inside an ECHO. Redis runs the ECHO, which
// changes nothing. So a Redis can load the log, and gets no keys that its clients would see.

// effect appends the commands of an effect.
func (e *encoder) effect(f *store.Effect) {
	if f.DB == store.Own {
		e.echo(f)
		return
	}
	e.appenders[f.Op].append(f)
}

// echo appends the commands of an effect inside an ECHO.
func (e *encoder) echo(f *store.Effect) {
	begin := len(e.buf)
	if f.Op == store.OpSet {
		e.buf = appendSet(e.buf, f) // never a record
	} else {
		e.appenders[f.Op].append(f)
	}
	commands := append([]byte(ownMark), e.buf[begin:]...)
	e.buf = format.AppendBulk(append(e.buf[:begin], "*2\r\n$4\r\nECHO\r\n"...), commands)
}

// own applies the commands inside an ECHO to the server's own database.
func (a *applier) own(echoed []byte) error {
	db := a.db
	a.db = store.Own
	defer func() { a.db = db }()
	for rest := echoed[len(ownMark):]; len(rest) > 0; {
		args, size, err := format.ParseCommand(rest, nil)
		if err != nil {
			return fmt.Errorf("a command of the server's own database: %w", err)
		}
		if known := knownCommands[string(args[0])]; known == nil || !known.apply(a, args) {
			return fmt.Errorf("%.30q is no command of an effect, or has other arguments", args[0])
		}
		rest = rest[size:]
	}
	return nil
}
