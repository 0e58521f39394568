package server

import (
	"fmt"
	"math"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/resp"
	"cellserver/store"
)

// Replayer returns a function that runs the commands of a log that a Redis wrote, in a given
// database. The commands run at time 0, so no key expires. The log itself deletes expired keys. The
// function drops replies and returns errors. Only one goroutine may call it.
func (s *Server) Replayer() func(db int, args [][]byte) error {
	conn, parts := &commands.Conn{}, s.parts
	parts.Settings = &replaySettings{Settings: s.parts.Settings}
	tx := s.parts.Store.NewTx()
	tx.KeepExpired, tx.Silent = true, true
	var out resp.Writer
	var fp store.Footprint
	return func(db int, args [][]byte) error {
		args = asKept(args)
		cmd, err := commands.Resolve(commands.Lookup(args[0]), args)
		switch {
		case err != nil:
			return err
		case cmd.Flags&commands.Write == 0:
			return fmt.Errorf("it is not a command that writes")
		}
		out.Reset()
		conn.DB, fp = db, store.Footprint{}
		call := &commands.Call{Cmd: cmd, Args: args, Out: &out, Conn: conn, Server: &parts, Tx: tx}
		cmd.AddFootprint(call, &fp)
		tx.Begin(call.Now, db, &fp)
		defer tx.End()
		return cmd.Run(call)
	}
}

// replaySettings allow strings of any length, as Redis does for its log. proto-max-bulk-len may have been larger
// when a client sent the commands.
type replaySettings struct {
	commands.Settings
	of, longer *config.Config // the last configuration, and its copy with longer strings
}

// Current implements [commands.Settings].
func (s *replaySettings) Current() *config.Config {
	if cfg := s.Settings.Current(); s.of != cfg {
		s.of, s.longer = cfg, cfg.Clone()
		s.longer.ProtoMaxBulkLen = math.MaxInt64
	}
	return s.longer
}
