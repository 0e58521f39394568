package sidecar

import (
	"cellserver/commands"
	"cellserver/resp"
	"cellserver/router"
)

// connectOwn gives the client a connection of its own, unless there is one. It returns false while replies on
// other connections are outstanding.
func (f *Front) connectOwn(w *resp.Writer) bool {
	if f.state.own != nil {
		return true
	}
	if !f.order.wait(0) {
		return false
	}
	o := &own{order: &f.order}
	o.conn = f.user.Own(w.Proto, f.Conn().Identity.Name, o, f.order.peer.Wake)
	f.state.own = o
	f.pinned.Store(true)
	return true
}

// leaveOwn ends the client's own connection: the client shares connections again.
func (f *Front) leaveOwn() {
	o := f.state.own
	if o == nil {
		return
	}
	o.mu.Lock()
	o.left = true
	o.mu.Unlock()
	o.conn.Close()
	f.state.own = nil
	f.pinned.Store(false)
}

// sendOwn sends a command over the client's own connection.
func (f *Front) sendOwn(cmd *commands.Command, args [][]byte, w *resp.Writer) resp.Status {
	if !f.connectOwn(w) {
		return f.wait()
	}
	o := f.state.own
	if cmd != nil && o.queues && (isPersonal(cmd) || cmd.Name == "auth" || cmd.Name == "hello") {
		args = personal(cmd, "inside MULTI")
	}
	request := router.AppendCommand(nil, args...)
	name := ""
	if cmd != nil {
		name = cmd.Name
	}
	if name == "multi" || name == "exec" || name == "discard" {
		o.queues = name == "multi"
	}
	follow := o.follow(name, f.sidecar.written.effectOf(cmd, args), o.queues, func(e *effect, reply []byte) {
		if !e.selects(&o.db, reply) {
			f.sidecar.apply(e, reply, o.db.Load())
		}
	})
	sink := &relayed{slot: f.order.add(len(request)), follow: follow, alone: true}
	o.conn.Send(&router.Request{Command: request, Sink: sink})
	return resp.Continue
}

// beginStream makes the client stream. The replies that are outstanding come before.
func (f *Front) beginStream(args [][]byte, w *resp.Writer) resp.Status {
	if !f.connectOwn(w) || !f.order.wait(0) {
		return f.wait()
	}
	f.state.own.streams = true
	f.state.own.conn.Stream()
	return f.stream(args, w)
}

// stream sends a command of a client that streams. It waits while much is to be written.
func (f *Front) stream(args [][]byte, w *resp.Writer) resp.Status {
	o := f.state.own
	if len(args) == 1 && commands.Is(args[0], "reset") {
		return f.resetStream(args, w)
	}
	if cmd, err := commands.Resolve(f.names.Lookup(args[0]), args); err == nil && isPersonal(cmd) {
		args = personal(cmd, "after SUBSCRIBE or MONITOR")
	}
	f.order.state.Store(true) // its replies are messages
	o.mu.Lock()
	ok, err := o.conn.Write(router.AppendCommand(nil, args...))
	if ok {
		o.asked++
	}
	o.mu.Unlock()
	switch {
	case ok:
		return resp.Continue
	case err == nil:
		return f.wait()
	}
	f.leaveOwn()
	f.reply(errorReply(lossText(err)), w)
	return resp.Continue
}

// resetStream runs RESET as soon as the client's own connection has ended.
func (f *Front) resetStream(args [][]byte, w *resp.Writer) resp.Status {
	o := f.state.own
	o.mu.Lock()
	ended := o.failed || o.reset == isReset
	if !ended && o.reset == notReset {
		both := router.AppendCommand(router.AppendCommand(nil, "RESET"), "QUIT")
		if ok, err := o.conn.Write(both); ok {
			o.reset = resetting
		} else {
			ended = err != nil
		}
	}
	o.mu.Unlock()
	if !ended {
		return f.wait()
	}
	f.leaveOwn()
	return f.Handle(args, w)
}
