package slidinglog

import (
	"errors"
	"math"
)

// The errors name the argument that is wrong.
var (
	errLimit      = errors.New("limit must be positive")
	errPeriod     = errors.New("period must be positive")
	errGap        = errors.New("gap must not be negative or longer than period")
	errResolution = errors.New("resolution must not be negative or longer than period")
	errQuantity   = errors.New("quantity must not be negative")
	errTooMany    = errors.New("quantity is too large for one entry each: with a resolution they share one")
	errTooFar     = errors.New("period is too long: an entry would not be forgotten before the year 2262")
)

// never is the RetryAfter of a request which passed, or cannot ever pass.
const never = -1

// MaxEntries is the greatest quantity of a request to a log without resolution, in which each
// action has an entry.
const MaxEntries = 10_000

// Options are what a log may do beyond counting. Times are in ns.
type Options struct {
	Gap        int64 // least time from one request that passes to the next; 0 for none
	Resolution int64 // width of the buckets in which actions share an entry; 0 for an entry each
	Strict     bool  // requests that are limited have entries, too
}

// Log allows limit actions in any period. New makes it.
type Log struct {
	limit, period int64
	Options
}

// New allows limit actions, at least one, in any period nanoseconds. The gap and the
// resolution are at most the period.
func New(limit, period int64, o Options) (Log, error) {
	switch {
	case limit <= 0:
		return Log{}, errLimit
	case period <= 0:
		return Log{}, errPeriod
	case o.Gap < 0 || o.Gap > period:
		return Log{}, errGap
	case o.Resolution < 0 || o.Resolution > period:
		return Log{}, errResolution
	}
	return Log{limit, period, o}, nil
}

// Entry says that Count actions count from Time on, in ns since the epoch. A shared entry is a
// bucket's: other actions may join it.
type Entry struct {
	Time, Count int64
	Shared      bool
}

// Entries are a log, the oldest first. If any entry is shared, so are all after it.
type Entries interface {
	Len() int
	At(i int) Entry
}

// Decision is the answer to one request, and how it changes the log. Times are in ns.
type Decision struct {
	Limited bool // the request must not pass
	Changed bool // the log changes: it loses its Forget oldest entries, and what is below

	Forget int   // entries that count no more, or for a strict log make no difference
	Add    int64 // actions that the log gets, as so many entries or in one that is shared
	Shared bool  // they are one shared entry
	Join   bool  // they join the newest entry, whose time becomes now

	Limit      int64 // actions in a period
	Remaining  int64 // actions that would pass at once now, 0 to Limit
	RetryAfter int64 // the least wait after which the same request passes; -1 if it passed, or never can
	ResetAfter int64 // until the log is empty
}

// Decide answers a request for quantity at now, in ns since the epoch. A quantity of 0
// decides, whatever the gap, and changes nothing.
func Decide[E Entries](l Log, entries E, now, quantity int64) (Decision, error) {
	v := view[E]{Log: l, entries: entries, now: now, n: entries.Len()}
	if v.n > 0 {
		v.last = entries.At(v.n - 1)
	}
	v.shared = l.Resolution > 0 || v.last.Shared
	switch {
	case quantity < 0:
		return Decision{}, errQuantity
	case quantity > MaxEntries && !v.shared && quantity <= l.limit:
		return Decision{}, errTooMany
	case now > math.MaxInt64-l.period:
		return Decision{}, errTooFar
	}
	v.forget = v.live()
	v.used = v.count(v.forget)
	return v.decide(quantity), nil
}
