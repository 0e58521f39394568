package aof

import (
	"fmt"

	"cellserver/persistence/aof/format"
	"cellserver/store"
)

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
