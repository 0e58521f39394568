package count

import (
	"context"
	"errors"
	"time"
)

// ErrUnsupported is wrapped by errors about what a store can not do. The text says what, and the next step.
var ErrUnsupported = errors.New("the store does not support this")

// The algorithms of a limit. The empty text is the fixed window, too.
const (
	FixedWindow   = "fixed_window"
	SlidingWindow = "sliding_window"
	GCRA          = "gcra"
	Log           = "log"
)

// A Hit is one limit on one counter, with the hits that a request adds.
type Hit struct {
	Key       string        // names the counter, without the period. It has no braces
	Limit     uint64        // what one window admits
	Period    time.Duration // without Calendar, windows begin at the multiples of Period since the Unix epoch
	Calendar  string        // "", or a unit of the calendar: day, week, month or year
	Zone      string        // the time zone of Calendar, "" is UTC
	Algorithm string        // "" is FixedWindow
	Burst     uint64        // of GCRA only
	Hits      uint64        // 0 is a look, which counts nothing
	GiveBack  bool          // takes Hits from the count, but not below 0
	Shadow    bool          // refuses nobody
}

// A Request is the hits of one call.
type Request struct {
	Domain    string
	Hits      []Hit
	AllOrNone bool // a request with a refused hit counts nothing. Otherwise each hit counts
}

// A Result is what one hit met.
type Result struct {
	Before uint64        // the count of the window before the request
	After  uint64        // and after it. It does not wrap
	Over   bool          // the hit does not fit. A look is over if nothing is left. A hit that is given back never is
	Reset  time.Duration // to the end of the window, more than 0
	Retry  time.Duration // until the hit fits, if that is before Reset, else 0
}

// A Counter is a store of counters.
type Counter interface {
	// Count counts a request as one. It returns before the deadline of the context, with an error if need
	// be.
	Count(ctx context.Context, r Request) ([]Result, error)

	// Ready returns nil if the store can answer a request.
	Ready() error

	Close() error
}
