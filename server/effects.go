package server

import "cellserver/commands"

const (
	// maxExecEffects is how many bytes the changes of a transaction may have beyond the bytes of its
	// commands. All changes wait in memory until EXEC has ended, and a copy is far larger than its
	// command.
	maxExecEffects = 64 << 20
	// minExecEffects is this bound while the memory is at maxmemory.
	minExecEffects = 16 << 20
)

const errExecTooLarge commands.Error = "OOM the changes of the transaction take too much memory: " +
	"split the transaction, or raise maxmemory"

// execEffects returns how many bytes the changes of a transaction may have. They take twice their size,
// because the log encodes them.
func (s *Server) execEffects(t *commands.Transaction) int64 {
	bound := int64(maxExecEffects)
	if limit := s.Config().MaxMemory; limit > 0 {
		bound = min(bound, minExecEffects+max(0, limit-s.parts.Store.Used())/2)
	}
	return bound + int64(t.Bytes)
}

// changesTooMuch reports whether a command needs memory after too many changes of its transaction.
func (s *Server) changesTooMuch(inner *commands.Call) bool {
	return inner.Cmd.Flags&commands.DenyOOM != 0 && inner.Tx != nil &&
		inner.Tx.EffectBytes() > s.execEffects(&inner.Conn.Transaction)
}
