package sidecar

import (
	"context"
	"errors"
	"sync"
	"time"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/router"
)

// permit is a question whether a user may run a command that is answered here.
type permit struct {
	about right

	mu     sync.Mutex // guards the fields below
	done   bool
	denied string // the hub's error; "" if the user may
	reply  []byte // of the hub, to what it permits
}

// probes has a question to the hub for each command that is answered here. The question needs the same right
// as the command, and has no effect.
var probes = map[string][]byte{
	"info": router.AppendCommand(nil, // see withSections
		"INFO", "commandstats", "errorstats", "latencystats", "keyspace", "cluster"),
	// The ids of clients are those of the sidecar. The hub would find strangers by them.
	"client|kill":    router.AppendCommand(nil, "CLIENT", "KILL", "ID", "0"),
	"client|list":    router.AppendCommand(nil, "CLIENT", "LIST", "TYPE", "replica"),
	"client|unblock": router.AppendCommand(nil, "CLIENT", "UNBLOCK", "0"),
	"config|get":     router.AppendCommand(nil, "CONFIG", "GET", "upstream-probe"),
	"config|set":     router.AppendCommand(nil, "CONFIG", "SET", "upstream-probe", "1"),
	"shutdown":       router.AppendCommand(nil, "SHUTDOWN", "ABORT"), // always an error: nothing aborts one
}

// noRight is the error of a user whom the hub has never answered.
const noRight = "NOHUB the hub does not answer, and only the hub knows whether this user may do that: " +
	"look at the hub"

// permits asks the hub whether the user of the client may run a command. While the hub is lost, its last
// answer counts. It returns false if the answer is not there yet: then the command runs again. An answer about
// another command or user may be left from a command that did not run again.
func (f *Front) permits(cmd *commands.Command) (p *permit, known bool) {
	p = f.state.permit
	if about := (right{f.user.Name(), cmd.FullName()}); p == nil || p.about != about {
		p = &permit{about: about}
		f.state.permit = p
		f.ask(p)
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.done {
		f.state.permit = nil
	}
	return p, p.done
}

// right is what a user may or may not do.
type right struct{ user, command string }

// ask asks the hub about a right, and wakes the client when the answer is there.
func (f *Front) ask(p *permit) {
	s, user, peer, about := f.sidecar, f.user, f.order.peer, p.about
	answered := router.Whole(func(reply []byte, err error) {
		p.mu.Lock()
		defer p.mu.Unlock()
		if p.done {
			return
		}
		p.done = true
		no, refused := errors.AsType[router.Refusal](err)
		switch last, found := user.Rights.Load(about.command); {
		case err == nil && isRefusal(reply):
			p.denied = string(reply[1 : len(reply)-len("\r\n")])
			user.Rights.Store(about.command, p.denied)
		case refused && (no.IsFinal() || !found) && (user != s.user || about.command != "info"):
			p.denied = no.Error()
		case err == nil:
			p.reply = reply
			user.Rights.Store(about.command, "")
		case found:
			p.denied = last.(string)
		case about.command != "info":
			p.denied = noRight
		}
		peer.Wake()
	})
	patience := max(10*s.o.Settings().Timeout, time.Second) // it may wait behind a lease that has no answer
	time.AfterFunc(patience, func() { answered.Lost(context.DeadlineExceeded) })
	user.Send(router.AskLane, 2, &router.Request{Command: probes[about.command], Sink: answered})
}

// handlePermitted answers a command in this process, if the user of the client may run it.
func (f *Front) handlePermitted(cmd *commands.Command, args [][]byte, w *resp.Writer) resp.Status {
	p, known := f.permits(cmd)
	switch {
	case !known:
		return f.wait()
	case p.denied != "":
		f.reply(errorReply(p.denied), w)
		return resp.Continue
	case cmd.Name != "info" || len(p.reply) == 0:
		st := f.handleLocal(args, w)
		if st == resp.Offload {
			f.state.permit = p // the command runs again at once, on another goroutine
		}
		return st
	}
	f.state.usesLocal = true
	f.late.Reset()
	f.late.Proto = w.Proto
	f.Local.Handle(args, &f.late)
	f.reply(withSections(f.late.Bytes(), p.reply), w)
	return resp.Continue
}
