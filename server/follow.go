package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"time"

	"cellserver/commands"
	"cellserver/resp"
)

// Follower runs the commands of the server that this one follows. They take the way of every other client,
// with all rights. Expired keys stay until the other server deletes them: it alone knows which of its
// commands came before the expiry. One goroutine uses a Follower.
type Follower struct {
	server *Server
	peer   commands.Peer
	turn   turn
	client *Client
	out    resp.Writer
	since  int // how many commands have run at the time of the batch
}

// NewFollower returns a follower. Its commands run after [Server.SetFollower].
func (s *Server) NewFollower(peer commands.Peer) *Follower { return &Follower{server: s, peer: peer} }

// SetFollower makes the server run the commands of a follower, and refuse the writes of clients. Nil ends
// that. It is one moment: no write of one side runs after the other side's turn has begun.
func (s *Server) SetFollower(f *Follower) {
	s.conditions.Lock()
	defer s.conditions.Unlock()
	now := s.Condition()
	now.follows = nil
	if f == nil {
		s.parts.Store.KeepExpired(false)
	} else {
		now.follows = &f.turn
	}
	s.setCondition(now)
	if f != nil {
		s.parts.Store.KeepExpired(true)
	}
	s.clients.WakeAll()
}

// Begin begins with another connection of the other server, in a database. A transaction that an earlier
// connection left open is dropped.
func (f *Follower) Begin(db int) {
	f.Close()
	f.client = f.server.Connect(f.peer)
	f.client.follower = &f.turn
	f.client.tx.KeepExpired = true
	f.client.conn.DB = db
}

// Close ends the connection of the other server.
func (f *Follower) Close() {
	if f.client != nil {
		f.Rest()
		f.client.Closed()
		f.client = nil
	}
}

// DB returns the selected database.
func (f *Follower) DB() int { return f.client.conn.DB }

// Unkept is the error of a command that cannot run here. The keys have not changed.
type Unkept struct {
	Command string
	Reason  string
}

// Error names the command.
func (u *Unkept) Error() string { return u.Command + " cannot run here: " + u.Reason }

// commandsOfATurn is how many commands share one reading of the clock.
const commandsOfATurn = 64

// Apply runs a command. An error is an [Unkept], or that of the context.
func (f *Follower) Apply(ctx context.Context, args [][]byte) (err error) {
	c := f.client
	cmd, err := f.resolve(args)
	if err != nil {
		return err
	}
	defer func() {
		if reason := recover(); reason != nil {
			c.Failed(reason, debug.Stack())
			err = &Unkept{cmd.FullName(), fmt.Sprint(reason)}
		}
	}()
	f.out.Reset()
	f.out.Errors = 0
	st := c.Handle(args, &f.out)
	for st == resp.Retry || st == resp.Offload {
		f.out.Reset()
		f.out.Errors = 0
		if st == resp.Retry {
			c.End()
			if err := pause(ctx); err != nil {
				return err
			}
		}
		st = c.Handle(args, &f.out)
	}
	if f.since++; st == resp.Flush || f.since >= commandsOfATurn {
		f.Rest()
	}
	switch {
	case st == resp.Close:
		return errors.New("CLIENT KILL has closed the link, or a transaction is larger than " +
			"client-query-buffer-limit")
	case f.out.Errors > 0:
		return &Unkept{cmd.FullName(), firstError(f.out.Bytes())}
	}
	return nil
}

// Rest ends the batch: no further command has arrived.
func (f *Follower) Rest() {
	if f.client != nil && f.since > 0 {
		f.client.End()
		f.since = 0
	}
}

// resolve returns the command of a stream. A server that is followed writes, and publishes. It never
// administers.
func (f *Follower) resolve(args [][]byte) (*commands.Command, error) {
	cmd, err := commands.Resolve(commands.Lookup(args[0]), args)
	if err != nil {
		name := fmt.Sprintf("%.32s", bytes.ToUpper(args[0]))
		return nil, &Unkept{name, "this server does not have it in this form"}
	}
	cfg, store := f.server.Config(), f.server.parts.Store
	switch {
	case !streams(cmd):
		return nil, &Unkept{cmd.FullName(), "it is no command that a server sends to its replicas"}
	case cmd.Flags&commands.DenyOOM != 0 && cfg.MaxMemory > 0 && f.since == 0 && store.Used() > cfg.MaxMemory:
		return nil, &Unkept{cmd.FullName(), "the keys take more memory than maxmemory: raise it"}
	}
	return cmd, nil
}

// streams reports whether a server sends a command to its replicas.
func streams(cmd *commands.Command) bool {
	switch cmd.FullName() {
	case "select", "multi", "exec", "publish", "spublish", "cl.throttle",
		"eval", "evalsha", "script|load", "script|flush":
		return true
	}
	const kinds = commands.Write | commands.Blocking
	return cmd.Flags&kinds == commands.Write && cmd.Group != commands.GroupLimiter
}

// pause waits a little: CLIENT PAUSE holds the command back.
func pause(ctx context.Context) error {
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(20 * time.Millisecond):
		return nil
	}
}

// firstError returns the first error of a reply that has one.
func firstError(reply []byte) string {
	text := reply
	if i := bytes.Index(reply, []byte("\n-")); i >= 0 && reply[0] != '-' {
		text = reply[i+1:]
	}
	text, _, _ = bytes.Cut(text, []byte("\r\n"))
	return fmt.Sprintf("%.200s", text[min(1, len(text)):])
}
