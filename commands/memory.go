package commands

import "cellserver/store"

// checkMemory makes room when memory is over maxmemory, and refuses what would need
// more when there is none.
func (s *Server) checkMemory(call *Call) error {
	limit := s.Config().MaxMemory
	if limit == 0 || s.Store.Used() <= limit {
		return nil
	}
	return s.makeRoom(call, limit)
}

func (s *Server) makeRoom(call *Call, limit int64) error {
	_ = store.NoExpiry
	if call.Cmd.Flags&DenyOOM != 0 {
		return errOOM
	}
	return nil
}
