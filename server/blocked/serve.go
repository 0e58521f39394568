package blocked

import (
	"cellserver/commands"
	"cellserver/resp"
	"cellserver/store"
)

// Serving gives the clients that wait for keys what a command has brought.
type Serving struct {
	Table  *Table
	Host   Host
	Places []Place // that may have a value
	Now    int64   // logical time, Unix nanoseconds
	Tx     *store.Tx
	Ended  func() bool // the node no longer leads: then nobody is served

	MayBlock bool // the goroutine may wait for partitions, and take long
	fp       store.Footprint
}

// Host is the server, for the commands of waiting clients.
type Host interface {
	Call(cmd *commands.Command, args [][]byte) commands.Call
	// Permit returns the error of a command that its user must not run any more.
	Permit(call *commands.Call, by commands.Identity) error
	// Failed writes the error of a command as its reply.
	Failed(call *commands.Call, err error)
	// Panicked does so for a command that panicked. It returns false if there is no reply.
	Panicked(call *commands.Call, client commands.Peer, reason any) (replied bool)
}

// Run serves up to most clients, and reports whether no place is left. It serves no client that has left.
func (s *Serving) Run(most int) bool {
	for n := 0; len(s.Places) > 0; n++ {
		w := s.Table.First(s.Places[0])
		if w == nil {
			s.Places = s.Places[1:]
			continue
		}
		switch {
		case n == most:
			return false
		case w.conn.Link.Peer.Gone():
			s.Table.endWait(w) // a value would be lost with its reply
		case !s.serve(w):
			return false
		}
	}
	return true
}

// serve lets a client take from the first place. If the key has nothing for it, the place is done. serve
// returns false if it would have to wait for the partitions, or if the command takes long.
func (s *Serving) serve(w *Waiter) bool {
	p, key := s.Places[0], []byte(s.Places[0].Key)
	call := s.Host.Call(w.Cmd, w.Words(key))
	call.Now, call.Tx, call.Conn, call.Out = s.Now, s.Tx, w.conn, &resp.Writer{Proto: w.Proto}
	s.fp = store.Footprint{}
	w.Cmd.AddFootprint(&call, &s.fp)
	if s.MayBlock {
		s.Tx.Begin(s.Now, p.DB, &s.fp)
	} else if !s.Tx.TryBegin(s.Now, p.DB, &s.fp) {
		return false
	}
	defer func(by any) {
		s.Tx.End()
		s.Tx.By = by
	}(s.Tx.By)
	if s.Ended() {
		s.Places = nil
		return true
	}
	e := s.Tx.Peek(key)
	switch {
	case e.Kind() != p.Kind:
		s.Places = s.Places[1:]
	case !s.MayBlock && w.Cmd.Cost != nil && call.Long():
		return false
	case s.Table.claim(w):
		s.Tx.By = w.conn
		replied := s.take(&call, w)
		s.Places = append(s.Places, s.Table.Brought(s.Tx)...)
		s.Tx.End()
		s.Table.serve(w, call.Out.Bytes(), replied)
	}
	return true
}

// take runs the command of a claimed client. A panic of the command costs the client its connection, as in a
// session. Then take returns false.
func (s *Serving) take(call *commands.Call, w *Waiter) (replied bool) {
	mark := call.Out.Mark()
	defer func() {
		if reason := recover(); reason != nil {
			call.Out.Truncate(mark)
			replied = s.Host.Panicked(call, w.conn.Link.Peer, reason)
		}
	}()
	err := s.Host.Permit(call, w.by)
	if err == nil {
		err = call.Cmd.Run(call)
	}
	if err != nil {
		call.Out.Truncate(mark)
		s.Host.Failed(call, err)
	}
	return true
}
