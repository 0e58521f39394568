package server

import (
	"bytes"
	"cmp"
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
	of     string // as the directive replicaof names it
	turn   turn
	client *Client
	out    resp.Writer
	since  int // how many commands have run at the time of the batch
}

// NewFollower returns a follower of a server, which the directive replicaof names by `of`. Its commands run
// after [Server.SetFollower], or after [Server.TakeTurn] with what keeps the position.
func (s *Server) NewFollower(peer commands.Peer, of string, keep *Keep) *Follower {
	return &Follower{server: s, peer: peer, of: of, turn: turn{keep: keep}}
}

// SetFollower makes the server run the commands of a follower, and refuse the writes of clients. Nil ends
// that. It is one moment: no write of one side runs after the other side's turn has begun. CONFIG GET and
// CONFIG REWRITE know it, too.
func (s *Server) SetFollower(f *Follower) {
	of := ""
	if f != nil {
		of = f.of
	}
	s.settings.nameMaster(of)
	if f == nil {
		s.parts.Store.KeepExpired(false)
		s.Move(false, false)
	} else {
		s.NobodysTurn()
		s.TakeTurn(f)
		s.parts.Store.KeepExpired(true)
	}
	s.Moved()
}

// Begin begins with another connection of the other server, in a database. A transaction that an earlier
// connection left open is dropped.
func (f *Follower) Begin(db int) {
	f.Close()
	f.client = f.server.ConnectWhole(f.peer, true) // a server that is followed knows no slots
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

// commandsOfATurn is how many commands share one reading of the clock.
const commandsOfATurn = 64

// Apply runs a command. An error is an [Unkept], or that of the context.
func (f *Follower) Apply(ctx context.Context, args [][]byte) (err error) {
	c, args := f.client, asKept(args)
	cmd, err := f.resolve(args)
	if err != nil {
		return err
	}
	defer func() {
		if reason := recover(); reason != nil {
			c.Failed(reason, debug.Stack())
			err = unkept(cmd.FullName(), args, fmt.Sprint(reason))
		}
	}()
	st := f.handle(args)
	for st == resp.Retry || st == resp.Offload {
		if st == resp.Retry {
			c.End()
			if err := pause(ctx); err != nil {
				return err
			}
		}
		st = f.handle(args)
	}
	if f.since++; st == resp.Flush || f.since >= commandsOfATurn {
		f.Rest()
	}
	switch {
	case st == resp.Close:
		return errors.New("CLIENT KILL has closed the link, or a transaction is larger than " +
			"client-query-buffer-limit")
	case f.turn.failed != nil:
		return f.turn.failed
	}
	return nil
}

// handle runs a command once.
func (f *Follower) handle(args [][]byte) resp.Status {
	f.out.Reset()
	f.turn.failed = nil
	return f.client.Handle(args, &f.out)
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
		name := cmp.Or(fmt.Sprintf("%.32s", bytes.ToUpper(args[0])), "a command with an empty name")
		return nil, unkept(name, args, "this server does not have it in this form")
	}
	cfg, store := f.server.Config(), f.server.parts.Store
	switch {
	case !streams(cmd):
		return nil, unkept(cmd.FullName(), args, notSent)
	case cmd.Flags&commands.DenyOOM != 0 && cfg.MaxMemory > 0 && f.since == 0 && store.Used() > cfg.MaxMemory:
		u := unkept(cmd.FullName(), args, "the keys take more memory than maxmemory: raise it")
		u.Memory = true
		return nil, u
	}
	return cmd, nil
}

// streams reports whether a server sends a command to its replicas.
func streams(cmd *commands.Command) bool {
	switch cmd.FullName() {
	case "select", "multi", "exec", "publish", "spublish", "eval", "evalsha", "script|load", "script|flush":
		return true
	}
	const kinds = commands.Write | commands.Blocking
	return cmd.Flags&kinds == commands.Write && !isOurs(cmd)
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
