package limiters

import (
	"math"

	"cellserver/internal/rediserr"
	"cellserver/limiters/window"
	"cellserver/store"
)

// ErrNoWindow is the error of a key whose integer has no expiry.
const ErrNoWindow rediserr.Error = "ERR the key holds no window: it does not expire"

// counter returns an integer and its expiry. Both are 0 for an absent key.
func counter(e *store.Entry) (c window.Count, err error) {
	if n, at, ok := e.Volatile(); ok {
		return window.Count{Used: n, End: nanos(at)}, nil
	}
	if c.Used, err = Integer(e); err == nil && e.Exists() {
		c.End, err = windowEnd(e)
	}
	return c, err
}

// windowEnd returns the expiry of a key in Unix nanoseconds.
func windowEnd(e *store.Entry) (int64, error) {
	at := e.ExpireAt()
	if at == store.NoExpiry {
		return 0, ErrNoWindow
	}
	return nanos(at), nil
}

// nanos converts Unix milliseconds to nanoseconds. The largest result is the last whole millisecond
// of an int64.
func nanos(millis int64) int64 { return min(millis, math.MaxInt64/1_000_000) * 1e6 }
