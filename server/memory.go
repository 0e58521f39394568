package server

import (
	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/store"
)

// checkMemory evicts keys while memory exceeds maxmemory, which is not 0. If it cannot evict enough,
// commands that may need more memory are errors. A follower evicts only the keys that its leader evicts.
func (s *Server) checkMemory(call *commands.Call, cfg *config.Config) error {
	if s.parts.Store.Used() <= cfg.MaxMemory || !s.control.leads() {
		return nil
	}
	if s.evict(call.Now, cfg) || !needsMemory(call) || !s.control.leads() {
		return nil
	}
	return commands.ErrOOM
}

// Evict evicts some keys if memory exceeds maxmemory, as a command would do first, and reports whether more
// may have to go. Any goroutine may call it. While clients are paused, and while the server loads or follows,
// no key goes.
func (s *Server) Evict() (more bool) {
	cfg, now := s.Config(), s.parts.Clock.Now()
	exceeds := func() bool { return cfg.MaxMemory != 0 && s.parts.Store.Used() > cfg.MaxMemory }
	if !exceeds() || !s.control.leads() || s.clients.PausedAt(now/1e6) || s.Condition() != (Condition{}) {
		return false
	}
	return s.evict(now, cfg) && exceeds()
}

// evict evicts keys by maxmemory-policy, and reports whether memory is then within maxmemory. now
// is in Unix nanoseconds. The caller has no transaction.
func (s *Server) evict(now int64, cfg *config.Config) bool {
	policy, err := store.ParsePolicy(string(cfg.MaxMemoryPolicy))
	if err != nil {
		panic("server: the store lacks a policy of the configuration: " + err.Error())
	}
	return s.parts.Store.Evict(now, policy, cfg.MaxMemorySamples, cfg.MaxMemory)
}

// needsMemory reports whether a command may need more memory. Every queued command does.
func needsMemory(call *commands.Call) bool {
	if call.EffectiveFlags()&commands.DenyOOM != 0 {
		return true
	}
	if !call.Conn.Transaction.Queue.Active {
		return false
	}
	switch call.Cmd.FullName() {
	case "exec", "discard", "quit", "reset":
		return false
	}
	return true
}
