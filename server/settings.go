package server

import (
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"

	"cellserver/acl"
	"cellserver/commands"
	"cellserver/internal/config"
)

// settings hold the configuration of the running server. They implement [commands.Settings].
type settings struct {
	current  atomic.Pointer[config.Config]
	changing sync.Mutex // held while CONFIG SET makes the next configuration
	check    func(old, new *config.Config) error
	changed  func(old, new *config.Config) // applies what other parts keep of it
	rewrite  func(*config.Config) error
	log      *slog.Logger
	users    *acl.Users
	userFile commands.UserFile
	events   atomic.Uint32 // the commands.Events of current; each command reads it
}

func newSettings(o Options) *settings {
	s := &settings{log: o.Log, check: o.Configured, rewrite: o.Files.Rewrite, userFile: o.Files.Users}
	s.use(o.Config)
	return s
}

func (s *settings) use(cfg *config.Config) {
	old := s.current.Swap(cfg)
	none := commands.Eventless(cfg.NotifyKeyspaceEvents)
	if none != "" && (old == nil || old.NotifyKeyspaceEvents != cfg.NotifyKeyspaceEvents) {
		s.log.Warn("letters of notify-keyspace-events have no events here, and are ignored", "letters", none)
	}
	s.events.Store(uint32(commands.EventsOf(cfg.NotifyKeyspaceEvents)))
}

// keyspaceEvents returns the keyspace events that are on.
func (s *settings) keyspaceEvents() commands.Events { return commands.Events(s.events.Load()) }

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
	s.use(cfg)
	s.changed(old, cfg)
	return nil, nil
}

// nameMaster makes replicaof name the server that this one follows, "" for none.
func (s *settings) nameMaster(of string) {
	s.changing.Lock()
	defer s.changing.Unlock()
	cfg := s.Current().Clone()
	cfg.Replication.Of = of
	s.use(cfg)
}

// Reconfigure applies the configuration in force again. The edge reads its files again, as with CONFIG SET.
func (s *Server) Reconfigure() error {
	refused, err := s.settings.Change(func(now *config.Config) (*config.Config, error) { return now, nil })
	return errors.Join(refused, err)
}

// Rewrite implements [commands.Settings].
func (s *settings) Rewrite() (known bool, err error) {
	if s.rewrite == nil {
		return false, nil
	}
	cfg := s.Current().Clone()
	cfg.Users = nil
	if s.userFile == nil {
		for _, l := range s.users.Lines(cfg.RequirePass) {
			cfg.Users = append(cfg.Users, config.UserLine{Words: l.Words})
		}
	}
	return true, s.rewrite(cfg)
}

// UserFile implements [commands.Settings].
func (s *settings) UserFile() commands.UserFile { return s.userFile }
