package persistence

import (
	"context"
	"fmt"
	"io"
	"math"
	"strconv"
	"sync/atomic"
)

// loadProgress is the progress of the load.
type loadProgress struct {
	*environment

	active        atomic.Bool
	begunAt       atomic.Int64 // Unix second
	begun         atomic.Int64 // monotonic time
	logged        atomic.Int64 // monotonic time of the last log line
	total, loaded atomic.Int64 // bytes
	written       atomic.Int64 // the last time that the files have, in Unix seconds of the server
	usedMem       atomic.Int64 // memory in bytes of the server that wrote the file
	keys, expired atomic.Int64 // keys that the last load brought, and that were left out
}

// begin begins the load of a number of bytes.
func (l *loadProgress) begin(size int64) {
	l.begunAt.Store(l.clock.Now() / 1e9)
	l.begun.Store(l.clock.Monotonic())
	l.total.Store(size)
	l.loaded.Store(0)
	l.logged.Store(l.begun.Load())
	l.active.Store(true)
}

// milliseconds returns the time since begin.
func (l *loadProgress) milliseconds() int64 { return (l.clock.Monotonic() - l.begun.Load()) / 1e6 }

// fact takes a fact of a file about itself.
func (l *loadProgress) fact(name, value string) {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
	case name == "used-mem":
		l.usedMem.Store(n)
	case name == "ctime" && n < maxSecond:
		l.written.Store(max(l.written.Load(), n))
	}
}

// maxSecond is the largest Unix second whose nanoseconds are an int64.
const maxSecond = math.MaxInt64 / int64(1e9)

// logEvery is the time between two log lines about a loading, in nanoseconds.
const logEvery = 2e9

// report takes the number of bytes that were loaded so far.
func (l *loadProgress) report(bytes int64) {
	now := l.clock.Monotonic()
	l.loaded.Store(bytes)
	if now-l.logged.Load() >= logEvery {
		l.logged.Store(now)
		l.log.Info("loading", "percent", percent(bytes, l.total.Load()), "keys", l.store.Keys())
	}
}

// logSkipped logs the number of skipped keys and commands.
func (l *loadProgress) logSkipped(counts map[string]int) {
	for what, n := range counts {
		l.log.Warn("left out unsupported data", "what", what, "count", n)
	}
}

func percent(part, whole int64) string {
	return fmt.Sprintf("%.2f", 100*float64(part)/float64(max(whole, 1)))
}

// cancelReader is a reader that fails after the end of its context.
type cancelReader struct {
	ctx context.Context
	io.Reader
}

// Read implements io.Reader.
func (r cancelReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}
