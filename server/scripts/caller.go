package scripts

import (
	"bytes"
	"context"
	"log/slog"

	"cellserver/acl"
	"cellserver/commands"
	"cellserver/server/rulelog"
	"cellserver/store"
)

const (
	errLargeReply commands.Error = "OOM the reply of the command is too large for a script"
	errPanicked   commands.Error = "ERR the command has failed"
)

// Call implements [script.Caller].
func (r *runner) Call(args [][]byte, version int) (reply []byte, stop error) {
	c, inner := r.run.call, &r.inner
	*inner = commands.Call{
		Cmd: commands.Lookup(args[0]), Args: args, Now: c.Now, Tx: c.Tx, Out: &r.out, Conn: c.Conn,
		Server: r.server, Runner: c.Runner, Events: c.Events, InScript: true,
	}
	if err := r.admit(inner); err != nil {
		inner.Runner.Refuse(inner, err)
		return r.failed(err.Error()), nil
	}
	r.needs, r.out.Proto = store.Footprint{}, version
	inner.Cmd.AddFootprint(inner, &r.needs)
	if !r.needs.IsEmpty() && (inner.Tx == nil || !inner.Tx.Holds(&r.needs)) {
		r.run.script.wide.Store(true)
		return nil, r.restart(commands.Restart)
	}
	if inner.Cmd.Flags&commands.Write != 0 && !r.mayWrite() {
		return nil, r.ended()
	}
	keeps := inner.Cmd.Flags&(commands.Write|commands.MayReplicate) != 0 || inner.Conn.Tracking.Wants()
	before, deferred, changes, kept := r.run.memory.mark(), r.deferred.bytes, changesOf(inner), 0
	if keeps {
		r.engine.Make(keptCopies * bytesOf(inner.Args))
		kept = keptBytes(inner)
		if err := r.run.memory.copyAll(inner.Args); err != nil {
			return nil, err
		}
	}
	r.out.SetLimit(max(r.engine.Left(), 1))
	r.out.Reset()
	if inner.Tx != nil {
		inner.Tx.Select(inner.Conn.DB)
	}
	if r.run.panicked = inner.Runner.RunInScript(inner); r.run.panicked != nil {
		return nil, errPanicked
	}
	made := r.deferred.bytes - deferred + effectBytes*(changesOf(inner)-changes)
	if keeps {
		made += keptBytes(inner) - kept
		if changesOf(inner) == changes && !inner.Conn.Tracking.Wants() {
			r.run.memory.undo(before)
		}
	} else if changesOf(inner) > changes {
		made += ownKeys(inner, changes)
	}
	switch {
	case r.out.Len() == 0 && !inner.Runner.Alone():
		return nil, r.restart(commands.TakesLong)
	case r.out.Over():
		return nil, errLargeReply
	}
	r.engine.Make(max(made, 0))
	switch n := r.out.Len(); {
	case n == 0:
		return r.failed("ERR the command has no reply in a script"), nil
	case n > largeReply:
		r.engine.Make(2 * n) // the pieces of the reply, and all of it
	}
	return r.out.Bytes(), nil
}

// failed returns the reply for a command that has written none.
func (r *runner) failed(text string) []byte {
	r.out.Reset()
	r.out.SetLimit(0)
	r.out.Error(text)
	return r.out.Bytes()
}

// keptBytes returns about how many bytes of keys and values the effects have, and of what undoes them. A
// command that only reads may remove expired keys, whose effects count alike.
func keptBytes(inner *commands.Call) int {
	if inner.Tx == nil {
		return 0
	}
	return int(inner.Tx.EffectBytes() + inner.Tx.UndoBytes())
}

// ownKeys gives the effects from number n on copies of their keys, and returns the bytes of the copies. A
// command that only reads may remove expired keys. Its arguments are not copied, and the next call of the
// script overwrites them.
func ownKeys(inner *commands.Call, n int) (size int) {
	removed := inner.Tx.Effects(n)
	for i := range removed {
		removed[i].Key = bytes.Clone(removed[i].Key)
		size += len(removed[i].Key)
	}
	return size
}

const (
	// keptCopies is how many copies of the arguments of a command that changes keys are in memory. The
	// effects have one, and the key has one.
	keptCopies = 2
	// effectBytes is what an effect and its record for the log take, while each list moves to a larger place.
	effectBytes = 420
	// largeReply is the size from which the memory of a reply is not used again.
	largeReply = 64 << 10
)

// bytesOf returns the bytes of arguments.
func bytesOf(args [][]byte) (n int) {
	for _, a := range args {
		n += len(a)
	}
	return n
}

func changesOf(c *commands.Call) int {
	if c.Tx == nil {
		return 0
	}
	return c.Tx.Changes()
}

// levels are those of the log, by the levels of scripts.
var levels = [...]slog.Level{slog.LevelDebug, slog.LevelDebug, slog.LevelInfo, slog.LevelWarn}

// mostLogged is how many bytes a line has, as most lines of Redis.
const mostLogged = 1024

// Log implements [script.Caller]. A script that logs all the time does not fill the disk.
func (r *runner) Log(level int, text string) {
	ctx, log := context.Background(), r.run.call.Server.Log
	if !log.Enabled(ctx, levels[level]) {
		return
	}
	missed, ok := r.share.all.lines.Admit(r.run.call.Server.Clock.Monotonic())
	if !ok {
		return
	}
	var attrs []any
	if missed > 0 {
		attrs = []any{"lines_left_out", missed}
	}
	log.Log(ctx, levels[level], rulelog.Bounded(text, mostLogged), attrs...)
}

// Allows implements [script.Caller].
func (r *runner) Allows(args [][]byte) (allowed, known bool) {
	cmd, _ := commands.Resolve(commands.Lookup(args[0]), args)
	if cmd == nil {
		return false, false
	}
	c := r.run.call
	_, limits := c.Server.Users.Rights(c.Conn.Identity.User)
	asked := c.Other(cmd, args)
	why, _ := asked.Denied(limits, 0)
	return why == acl.Allowed, true
}
