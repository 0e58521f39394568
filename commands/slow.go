package commands

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/internal/config"
)

// slowWatch keeps what SLOWLOG and LATENCY show.
type slowWatch struct {
	// above is the shortest duration, in nanoseconds, that either of them wants to know:
	// one comparison keeps all other commands out.
	above atomic.Int64

	mu     sync.Mutex // guards everything below
	log    []slowEntry
	nextID int64
	events map[string]*latencyEvent
}

// slowEntry is a command that SLOWLOG remembers.
type slowEntry struct {
	id, seconds, micros int64 // seconds: logical Unix time
	args                []string
	client, name        string
}

// Bounds of an entry, as in Redis.
const (
	slowlogArgs     = 32
	slowlogArgBytes = 128
)

// configure takes the thresholds of a configuration.
func (w *slowWatch) configure(cfg *config.Config) {
	above := int64(math.MaxInt64)
	if t := cfg.SlowlogLogSlowerThan; t >= 0 {
		above = min(t, math.MaxInt64/1_000) * 1_000
	}
	if t := cfg.LatencyMonitorThreshold; t > 0 {
		above = min(above, min(t, math.MaxInt64/1_000_000)*1_000_000)
	}
	w.above.Store(above)
}

// noteSlow remembers a command that took long, in nanoseconds, where that is wanted.
func (s *Server) noteSlow(call *Call, took int64) {
	cfg := s.Config()
	if t := cfg.SlowlogLogSlowerThan; t >= 0 && took/1e3 >= t && call.Cmd.Flags&SkipSlowlog == 0 {
		s.slow.remember(newSlowEntry(call, took), cfg.SlowlogMaxLen)
	}
	if t := cfg.LatencyMonitorThreshold; t > 0 && took/1e6 >= t && call.Cmd.Name != "exec" {
		event := "command"
		if call.Cmd.Flags&Fast != 0 {
			event = "fast-command"
		}
		s.slow.spike(event, call.Now/1e9, took/1e6)
	}
}

func newSlowEntry(call *Call, took int64) slowEntry {
	e := slowEntry{seconds: call.Now / 1e9, micros: took / 1e3, client: call.Client.addr(), name: call.Client.names.client}
	args := call.Args
	for i := range args {
		if i == slowlogArgs-1 && len(args) > slowlogArgs {
			e.args = append(e.args, fmt.Sprintf("... (%d more arguments)", len(args)-i))
			break
		}
		e.args = append(e.args, shortened(call.shown(i)))
	}
	return e
}

func shortened(arg []byte) string {
	if len(arg) <= slowlogArgBytes {
		return string(arg)
	}
	return fmt.Sprintf("%s... (%d more bytes)", arg[:slowlogArgBytes], len(arg)-slowlogArgBytes)
}

// remember adds an entry and forgets the oldest beyond most.
func (w *slowWatch) remember(e slowEntry, most int64) {
	w.mu.Lock()
	defer w.mu.Unlock()
	e.id = w.nextID
	w.nextID++
	w.log = append(w.log, e)
	if n := int64(len(w.log)) - most; n > 0 {
		w.log = slices.Delete(w.log, 0, int(n))
	}
}

// newest returns up to n entries, the newest first; all of them for -1.
func (w *slowWatch) newest(n int64) []slowEntry {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n < 0 || n > int64(len(w.log)) {
		n = int64(len(w.log))
	}
	last := slices.Clone(w.log[int64(len(w.log))-n:])
	slices.Reverse(last)
	return last
}

func (w *slowWatch) logged() int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return len(w.log)
}

func (w *slowWatch) forget() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.log = nil
}
