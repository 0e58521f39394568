package sidecar

import (
	"sync/atomic"

	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/resp"
	"cellserver/router"
	"cellserver/sidecar/account"
)

// Front is one client. It implements [resp.Handler], and is a [Local] for commands that are answered here.
type Front struct {
	Local
	sidecar *Sidecar
	user    *router.User
	lane    int
	names   commands.LookupCache
	order   order
	args    limiters.Args
	limit   limit        // of the command that runs
	pinned  atomic.Bool  // it has a connection to the hub of its own
	now     account.Time // of the batch; zero before the first command that needs it
	late    resp.Writer  // replies that wait for earlier ones
	state   state
}

// state is what a client waits for, and how far a batch is.
type state struct {
	usesLocal bool    // the batch has a command that is answered here
	waits     bool    // a command waits for the hub, and runs again
	login     *login  // AUTH or HELLO that runs; nil for none
	permit    *permit // INFO or CONFIG that runs; nil for none
	own       *own    // nil: the client shares connections
}

// Connect returns the front of a new client.
func (s *Sidecar) Connect(local Local, peer commands.Peer) *Front {
	f := &Front{Local: local, sidecar: s, user: s.user, lane: router.RelayLane(local.Conn().ID, router.Brief)}
	f.order.peer = peer
	f.show()
	return f
}

// Prefetch implements [resp.Handler]. There is nothing to prefetch.
func (f *Front) Prefetch([][]byte) {}

// time returns the time of the batch.
func (f *Front) time() account.Time {
	if f.now.Boot == 0 {
		f.now = f.sidecar.o.Clock()
	}
	return f.now
}

// longestShared is the most bytes of a command that goes over a connection that clients share.
const longestShared = 1 << 20

// Handle implements [resp.Handler].
func (f *Front) Handle(args [][]byte, w *resp.Writer) resp.Status {
	f.state.waits = false
	if f.state.own != nil {
		if f.state.own.hasFailed() {
			f.leaveOwn()
		} else if f.state.own.streams {
			return f.stream(args, w)
		}
	}
	if !f.order.room() {
		return f.wait()
	}
	cmd, way := wayOf(f.names.Lookup(args[0]), args)
	if f.state.own != nil {
		way = f.state.own.wayOf(cmd, way)
	}
	switch way {
	case decides:
		if f.decide(cmd, args, w) {
			return resp.Continue
		}
	case here:
		return f.handleHere(cmd, args, w)
	case logins:
		return f.logIn(cmd, args, w)
	case owns:
		return f.sendOwn(cmd, args, w)
	case streams:
		return f.beginStream(args, w)
	}
	if !f.chooseLane(way) {
		return f.wait()
	}
	request := router.AppendCommand(nil, args...)
	if len(request) > longestShared {
		return f.sendOwn(cmd, args, w)
	}
	sink := &relayed{slot: f.order.add(len(request))}
	if e := f.sidecar.written.effectOf(cmd, args); e != nil {
		sink.follow = func(reply []byte) bool { f.sidecar.apply(e, reply, 0); return false }
	}
	f.user.Send(f.lane, w.Proto, &router.Request{Command: request, Sink: sink})
	return resp.Continue
}

// chooseLane chooses the connections for a command. It returns false while replies on other ones are
// outstanding. A brief command then stays where the earlier ones are.
func (f *Front) chooseLane(way way) bool {
	class := classes[way]
	lane := router.RelayLane(f.Conn().ID, class)
	if lane == f.lane || class == router.Brief && !f.order.clear() {
		return true
	}
	if !f.order.wait(0) {
		return false
	}
	f.lane = lane
	return true
}

// wait makes the command run again when the client is woken.
func (f *Front) wait() resp.Status {
	f.state.waits = true
	return resp.Retry
}

// handleHere answers a command in this process.
func (f *Front) handleHere(cmd *commands.Command, args [][]byte, w *resp.Writer) resp.Status {
	if (isFarewell(cmd) || cmd != nil && isPersonal(cmd)) && !f.order.wait(0) {
		return f.wait()
	}
	if f.state.own != nil {
		f.Conn().DB = int(f.state.own.db.Load())
	}
	if text := f.sidecar.o.Hub.Denies(f.user); text != "" && (cmd == nil || cmd.Flags&commands.NoAuth == 0) {
		f.reply(errorReply(text), w)
		return resp.Continue
	}
	if cmd != nil && cmd.Name == "reset" {
		f.leaveOwn()
		f.become(f.sidecar.user)
	}
	if cmd != nil && probes[cmd.FullName()] != nil {
		return f.handlePermitted(cmd, args, w)
	}
	return f.handleLocal(args, w)
}

// handleLocal runs a command of the connection itself. Its reply waits for earlier ones.
func (f *Front) handleLocal(args [][]byte, w *resp.Writer) resp.Status {
	f.state.usesLocal = true
	if f.order.clear() {
		return f.Local.Handle(args, w)
	}
	f.late.Reset()
	f.late.Proto = w.Proto
	st := f.Local.Handle(args, &f.late)
	if st != resp.Retry && st != resp.Offload {
		w.Proto = f.late.Proto
		f.order.add(0).write(f.late.Bytes(), true)
	}
	return st
}

// answer replies to a limiter's command.
func (f *Front) answer(form form, limited bool, answer account.Answer, w *resp.Writer) {
	if f.order.clear() {
		form.answer(w, limited, answer)
		return
	}
	f.order.add(0).write(form.reply(limited, answer), true)
}

// reply sends a reply behind the earlier ones.
func (f *Front) reply(p []byte, w *resp.Writer) {
	if f.order.clear() {
		w.Raw(p)
		return
	}
	f.order.add(0).write(p, true)
}

// End implements [resp.Handler].
func (f *Front) End() (need uint64) {
	f.now = account.Time{}
	f.args.Release()
	if f.state.usesLocal {
		f.state.usesLocal = false
		f.Local.End()
	}
	return 0
}

// OutputLimit implements [resp.Handler].
func (f *Front) OutputLimit() int {
	if limit := f.Local.OutputLimit(); limit > 0 {
		return limit
	}
	return mostReplies
}

// MessageNeed implements [resp.Handler]. No message waits for a log.
func (f *Front) MessageNeed() uint64 { return 0 }

// MayIdle reports whether only the hub says how long the client may be silent. Any goroutine may call it.
func (f *Front) MayIdle() bool { return f.pinned.Load() }

// RetryAfter implements [resp.Handler].
func (f *Front) RetryAfter() int64 {
	if f.state.waits {
		return resp.NoTime
	}
	return f.Local.RetryAfter()
}

// Closed implements [resp.Handler].
func (f *Front) Closed() {
	f.order.close()
	if f.state.login != nil {
		f.state.login.abandon()
	}
	f.leaveOwn()
	f.become(f.sidecar.user)
	f.Local.Closed()
}

// noHub is the error of a decision that the hub does not answer, about a limit of which nothing is known.
func (s *Sidecar) noHub() string {
	return "NOHUB the hub " + s.o.Hub.Leader() + " does not answer within upstream-timeout, and this " +
		"sidecar does not know the limit yet: try again, and look at the hub"
}
