package commands

import (
	"fmt"

	"cellserver/resp"
	"cellserver/store"
)

// Replayer returns a function that runs the commands of a log that a Redis wrote, one at a
// time and in whatever database. It runs them at the beginning of time, so that no key's
// time is over: the log says itself when a key goes. What the commands reply is dropped;
// an error is returned.
func (s *Server) Replayer() func(db int, args [][]byte) error {
	c := &Client{server: s, tx: s.Store.NewTx(), authed: true}
	c.tx.KeepExpired, c.tx.Silent = true, true
	var out resp.Writer
	return func(db int, args [][]byte) error {
		cmd, err := resolve(lookup(args[0]), args)
		switch {
		case err != nil:
			return err
		case cmd.Flags&Write == 0:
			return fmt.Errorf("it is not a command that writes")
		}
		out.Reset()
		c.db, c.footprint = db, store.Footprint{}
		call := &Call{Cmd: cmd, Args: args, Out: &out, Client: c, Server: s, Tx: c.tx}
		cmd.footprint(call, &c.footprint)
		call.Tx.Begin(call.Now, db, &c.footprint)
		defer call.Tx.End()
		return cmd.Run(call)
	}
}
