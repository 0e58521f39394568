package limiters

import (
	"cellserver/internal/rediserr"
	"cellserver/limiters/window"
	"cellserver/store"
)

// SlidingWindow is the limiter of CL.SLIDING. Its key holds previous·10⁹ + current. It expires two
// periods after the begin of the current window, so the expiry identifies the window.
type SlidingWindow struct {
	plainKey
	window.Sliding
}

// ReadSliding parses the arguments limit and period.
func ReadSliding(a *Args) (w SlidingWindow, err error) {
	limit, period := a.Integer("limit"), a.Seconds("period")
	if err = a.Finish(0); err == nil {
		w.Sliding, err = window.NewSliding(limit, period)
	}
	return w, err
}

// slidingBase is the value of one action of the previous window in the integer of the key.
const slidingBase = window.MaxSliding + 1

const errNoSliding rediserr.Error = "ERR the key holds no sliding window: its integer is negative"

// Decide implements [Limiter].
func (w SlidingWindow) Decide(e *store.Entry, a *Answer, now, quantity int64) error {
	n, end, err := counter(e)
	switch {
	case err != nil:
		return err
	case n < 0:
		return errNoSliding
	}
	counts := window.Counts{Current: n % slidingBase, Previous: n / slidingBase, End: end}
	d, counts, err := w.Sliding.Decide(counts, now, quantity)
	a.set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state[0], a.state[1] = counts.Previous*slidingBase+counts.Current, counts.End
	return err
}

// Apply implements [Limiter].
func (w SlidingWindow) Apply(e *store.Entry, a *Answer, _ int64) {
	e.SetInt(a.state[0], a.state[1]/1e6)
}
