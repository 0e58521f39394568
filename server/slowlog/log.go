package slowlog

import (
	"fmt"
	"math"
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/internal/config"
)

// Log holds the data of SLOWLOG and LATENCY. It implements [commands.SlowLog] and
// [commands.LatencyEvents].
type Log struct {
	above atomic.Int64 // shortest duration that SLOWLOG or LATENCY keeps, in nanoseconds

	mu     sync.Mutex // guards the rest
	log    []commands.SlowEntry
	nextID int64
	events map[string]*commands.LatencyEvent
}

// Bounds of an entry, as in Redis.
const (
	maxArgs     = 32
	maxArgBytes = 128
)

// Above returns the shortest duration that the log keeps, in nanoseconds. The caller calls Note
// only for commands of at least this duration.
func (l *Log) Above() int64 { return l.above.Load() }

// Configure applies the thresholds of a configuration.
func (l *Log) Configure(cfg *config.Config) {
	above := int64(math.MaxInt64)
	if t := cfg.SlowlogLogSlowerThan; t >= 0 {
		above = min(t, math.MaxInt64/1_000) * 1_000
	}
	if t := cfg.LatencyMonitorThreshold; t > 0 {
		above = min(above, min(t, math.MaxInt64/1_000_000)*1_000_000)
	}
	l.above.Store(above)
}

// Note keeps a command if its duration took, in nanoseconds, reaches a threshold of the
// configuration. addr is the address of its client.
func (l *Log) Note(call *commands.Call, addr string, cfg *config.Config, took int64) {
	if t := cfg.SlowlogLogSlowerThan; t >= 0 && took/1e3 >= t && call.Cmd.Flags&commands.SkipSlowlog == 0 {
		l.add(newEntry(call, addr, took), cfg.SlowlogMaxLen)
	}
	if t := cfg.LatencyMonitorThreshold; t > 0 && took/1e6 >= t && call.Cmd.Name != "exec" {
		event := "command"
		if call.Cmd.Flags&commands.Fast != 0 {
			event = "fast-command"
		}
		l.spike(event, call.Now/1e9, took/1e6)
	}
}

func newEntry(call *commands.Call, addr string, took int64) commands.SlowEntry {
	e := commands.SlowEntry{Seconds: call.Now / 1e9, Micros: took / 1e3, Client: addr, Name: call.Conn.Identity.Name}
	args := call.Args
	for i := range args {
		if i == maxArgs-1 && len(args) > maxArgs {
			e.Args = append(e.Args, fmt.Sprintf("... (%d more arguments)", len(args)-i))
			break
		}
		e.Args = append(e.Args, shorten(call.Shown(i)))
	}
	return e
}

func shorten(arg []byte) string {
	if len(arg) <= maxArgBytes {
		return string(arg)
	}
	return fmt.Sprintf("%s... (%d more bytes)", arg[:maxArgBytes], len(arg)-maxArgBytes)
}

// add appends an entry and removes the oldest entries beyond maxLen.
func (l *Log) add(e commands.SlowEntry, maxLen int64) {
	l.mu.Lock()
	defer l.mu.Unlock()
	e.ID = l.nextID
	l.nextID++
	l.log = append(l.log, e)
	if n := int64(len(l.log)) - maxLen; n > 0 {
		l.log = slices.Delete(l.log, 0, int(n))
	}
}

// Newest implements [commands.SlowLog].
func (l *Log) Newest(n int64) []commands.SlowEntry {
	l.mu.Lock()
	defer l.mu.Unlock()
	if n < 0 || n > int64(len(l.log)) {
		n = int64(len(l.log))
	}
	last := slices.Clone(l.log[int64(len(l.log))-n:])
	slices.Reverse(last)
	return last
}

// Len implements [commands.SlowLog].
func (l *Log) Len() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.log)
}

// Reset implements [commands.SlowLog].
func (l *Log) Reset() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.log = nil
}
