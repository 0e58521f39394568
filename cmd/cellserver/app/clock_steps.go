package app

import (
	"sync"

	"cellserver/internal/config"
	"cellserver/server"
	"cellserver/store"
)

// clockSteps makes limits and expiries follow the wall clock if it is set back by more than clock-step-limit. Otherwise every
// limit would last longer by the step.
type clockSteps struct {
	log    *logger
	clock  *clock
	store  *store.Store
	server *server.Server
	saved  func()     // is called after a step: a snapshot that is being written may have times from before the step
	mu     sync.Mutex // held during a check
}

// configureClock applies clock-step-limit.
func configureClock(c *clock, cfg *config.Config) {
	if len(cfg.Cluster.Nodes) > 0 {
		return // the time of a cluster never goes back
	}
	c.setLimit(int64(cfg.ClockStepLimit) * 1e9)
}

// check looks for a step, and sets the clock of the server back. A goroutine then moves the keys that no command has asked
// for: each command moves those of its own partition.
func (s *clockSteps) check() {
	s.mu.Lock()
	defer s.mu.Unlock()
	step, take := s.clock.step()
	if take == nil {
		return
	}
	s.store.StepBack(step, take)
	s.server.SteppedBack(step)
	s.log.Warn("the clock was set back, and limits and expiries move back by the same time: check the clock if the time is wrong now",
		"seconds", float64(step.Back)/1e9)
	go s.log.guard("moving keys back panicked", s.catchUp)
}

func (s *clockSteps) catchUp() {
	s.saved()
	s.store.CatchUp()
	_, moved := s.store.Steps()
	s.log.Info("limits and expiries have moved back with the clock", "keys-since-the-start", moved)
}
