package rulelog

import (
	"strings"
	"sync"

	"cellserver/gcra"
)

// Lines is the limit on lines that clients cause: 50 at once, and then one a second. The zero value is
// ready.
type Lines struct {
	mu     sync.Mutex // guards the fields below
	tat    int64      // in nanoseconds of the monotonic clock
	missed int64      // lines left out
}

// mostAtOnce is how many lines there are at once.
const mostAtOnce = 50

// Admit reports whether the log has room for a line, and how many lines are missing since the last one. now
// is the monotonic clock.
func (l *Lines) Admit(now int64) (missed int64, ok bool) {
	quota, err := gcra.NewQuota(mostAtOnce-1, 1, 1)
	if err != nil {
		panic(err) // the numbers are constants
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	d, err := quota.Decide(l.tat, now, 1)
	if err != nil || d.Limited {
		l.missed++
		return 0, false
	}
	missed, l.tat, l.missed = l.missed, d.TAT, 0
	return missed, true
}

// Bounded shortens a text of a client to some bytes. The log quotes it.
func Bounded(text string, most int) string {
	if len(text) > most {
		text = text[:most] + "…"
	}
	return strings.ToValidUTF8(text, "\uFFFD")
}
