package commands

import (
	"cellserver/internal/config"
	"cellserver/store"
)

// checkMemory makes room when memory is over maxmemory, and refuses what would need
// more when there is none.
func (s *Server) checkMemory(call *Call) error {
	cfg := s.Config()
	if cfg.MaxMemory == 0 || s.Store.Used() <= cfg.MaxMemory {
		return nil
	}
	if s.makeRoom(call.Now, cfg) || !call.needsMemory() {
		return nil
	}
	return errOOM
}

// makeRoom evicts keys as maxmemory-policy says, and reports whether that helps. The
// caller has no transaction.
func (s *Server) makeRoom(now int64, cfg *config.Config) bool {
	policy, err := store.ParsePolicy(string(cfg.MaxMemoryPolicy))
	if err != nil {
		panic("commands: the store lacks a policy of the configuration: " + err.Error())
	}
	return s.Store.Evict(now, policy, cfg.MaxMemorySamples, cfg.MaxMemory)
}

// needsMemory reports whether a call may need more memory. Inside MULTI every command
// that is queued does.
func (c *Call) needsMemory() bool {
	if c.effectiveFlags()&DenyOOM != 0 {
		return true
	}
	if !c.Client.multi.active {
		return false
	}
	switch c.Cmd.Name {
	case "exec", "discard", "quit", "reset":
		return false
	}
	return true
}
