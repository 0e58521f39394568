package server

import (
	"sync"
	"sync/atomic"

	"cellserver/internal/config"
)

// settings hold the configuration of the running server. They implement [commands.Settings].
type settings struct {
	current  atomic.Pointer[config.Config]
	changing sync.Mutex // held while CONFIG SET makes the next configuration
	check    func(old, new *config.Config) error
	changed  func(*config.Config) // applies the thresholds of the slow log
	rewrite  func(*config.Config) error
}

func newSettings(o Options) *settings {
	s := &settings{check: o.Configured, rewrite: o.Rewrite}
	s.current.Store(o.Config)
	return s
}

// Current implements [commands.Settings].
func (s *settings) Current() *config.Config { return s.current.Load() }

// Change implements [commands.Settings].
func (s *settings) Change(next func(old *config.Config) (*config.Config, error)) (refused, err error) {
	s.changing.Lock()
	defer s.changing.Unlock()
	old := s.Current()
	cfg, err := next(old)
	if err != nil {
		return nil, err
	}
	if s.check != nil {
		if refused := s.check(old, cfg); refused != nil {
			return refused, nil
		}
	}
	s.current.Store(cfg)
	s.changed(cfg)
	return nil, nil
}

// Rewrite implements [commands.Settings].
func (s *settings) Rewrite() (known bool, err error) {
	if s.rewrite == nil {
		return false, nil
	}
	return true, s.rewrite(s.Current())
}
