package slidinglog

import "errors"

// The errors name the argument that is wrong.
var (
	errLimit      = errors.New("limit must not be negative")
	errPeriod     = errors.New("period must be positive")
	errGap        = errors.New("gap must not be negative or longer than period")
	errResolution = errors.New("resolution must not be negative or longer than period")
	errQuantity   = errors.New("quantity must not be negative")
	errTooMany    = errors.New("quantity is too large for one entry each: with a resolution they share one")
	errTooMuch    = errors.New("quantity is too large: the sum of the log would exceed 9223372036854775807")
	errTooFar     = errors.New("period is too long: an entry would not be forgotten before the year 2262")
)

// never is the RetryAfter of a request that passed, or can never pass.
const never = -1

// MaxEntries is the largest quantity of a request to a log without resolution, where a request of quantity n
// gets n entries. A strict log that refuses a larger quantity, because it is above the limit, adds one shared
// entry.
const MaxEntries = 10_000

// ChargedEntries is the length from which on a log does not grow by charges.
const ChargedEntries = 1000

// Options change how a log counts. Times are in ns.
type Options struct {
	Gap        int64 // shortest time between two requests that pass; 0 means no gap
	Resolution int64 // width of a bucket whose requests share one entry; 0 means no buckets
	Strict     bool  // limited requests get entries, too
	Shared     bool  // each request gets one entry with its quantity, as with a resolution, so that it can be settled
}

// Log allows limit requests in any period. New makes one.
type Log struct {
	limit, period int64
	Options
}

// New returns a log of limit requests in any period nanoseconds. A limit of 0 refuses every request. The
// gap and the resolution must not exceed the period.
func New(limit, period int64, o Options) (Log, error) {
	switch {
	case limit < 0:
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

// Window returns the period in nanoseconds.
func (l Log) Window() int64 { return l.period }

// Entry says that Count requests passed at Time, in ns since the epoch. A shared entry belongs to a bucket,
// and later requests can join it.
type Entry struct {
	Time, Count int64
	Shared      bool
	Number      int64 // the place among the entries of the same time, from 0; -1 without a place
}

// Entries are the entries of a log, the oldest first. All entries after a shared one are shared, too.
type Entries interface {
	Len() int
	At(i int) Entry
	// Range calls f for the entries from … to-1, until f returns false.
	Range(from, to int, f func(e Entry) bool)
}

// Decision is the answer to one request, and how it changes the log. Times are in ns.
type Decision struct {
	Limited bool // the request must not pass; after a charge, more than Limit count
	Changed bool // change the log: remove the Forget oldest entries, and add as the next fields say

	Forget int   // entries that no longer count, or that a strict log does not need
	Add    int64 // requests to add: as many entries, or one shared entry
	Shared bool  // add one shared entry
	Join   bool  // add them, as a shared one, to the entry at the index At, and set its time to now
	At     int
	Number int64 // of the first entry to add, if they are not shared

	Limit      int64 // requests in a period
	Remaining  int64 // requests that would pass now, 0 to Limit; after a charge, below 0 if more than Limit count
	RetryAfter int64 // shortest wait after which the same request passes; -1 if it passed, or never can
	ResetAfter int64 // time until the log is empty
}
