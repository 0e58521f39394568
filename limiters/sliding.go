package limiters

import (
	"bytes"
	"iter"

	"cellserver/internal/decimal"
	"cellserver/internal/exact"
	"cellserver/internal/rediserr"
	"cellserver/limiters/window"
	"cellserver/store"
)

// SlidingWindow is the limiter of CL.SLIDING. Its key holds previous·10⁹ + current. It expires two periods
// after the beginning of the current window, so the expiry identifies the window. Charges may count more
// than nine digits. The key then holds both counts as text: "previous+current".
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
	counts, err := slidingCounts(e)
	if err != nil {
		return err
	}
	return a.setSliding(w.Sliding.Decide(counts, now, quantity))
}

// Charge implements [Budget].
func (w SlidingWindow) Charge(e *store.Entry, a *Answer, now, quantity int64) error {
	counts, err := slidingCounts(e)
	if err != nil {
		return err
	}
	return a.setSliding(w.Sliding.Charge(counts, now, quantity))
}

// Reserving implements [Limit].
func (w SlidingWindow) Reserving() Budget { return w }

// Mark implements [Budget]. It is the end of the counts that have the quantity, and their period.
func (w SlidingWindow) Mark(a *Answer) Mark {
	return Mark{IsTime: true, Value: a.state[2], Period: w.Window()}
}

// Settle implements [Budget].
func (w SlidingWindow) Settle(e *store.Entry, a *Answer, now int64, s *Settlement) error {
	counts, err := slidingCounts(e)
	if err != nil {
		return err
	}
	return a.setSliding(w.Sliding.Settle(counts, now, s.Value, s.Period, s.more()))
}

// Release implements [Budget].
func (w SlidingWindow) Release(e *store.Entry, _ int64, ended iter.Seq2[int64, *Settlement]) error {
	before, err := slidingCounts(e)
	if err != nil {
		return err
	}
	counts := before
	for end, s := range ended {
		if d, next, err := w.Sliding.Settle(counts, end, s.Value, s.Period, -s.Reserved); err == nil && d.Changed {
			counts = next
		}
	}
	if counts != before {
		storeCounts(e, counts)
	}
	return nil
}

// State implements [Limit].
func (w SlidingWindow) State(e *store.Entry, now int64) []Field {
	held, _ := slidingCounts(e)
	c := w.At(held, now)
	if c.Previous == 0 && c.Current == 0 {
		c.End = 0
	}
	return []Field{{"previous", c.Previous}, {"current", c.Current}, {"counts_end", unlessPast(c.End, now)}}
}

func (a *Answer) setSliding(d window.Decision, counts window.Counts, err error) error {
	a.Set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state[0], a.state[1], a.state[2] = counts.Current, counts.Previous, counts.End
	return err
}

// Apply implements [Limiter].
func (w SlidingWindow) Apply(e *store.Entry, a *Answer, _ int64) {
	storeCounts(e, window.Counts{Current: a.state[0], Previous: a.state[1], End: a.state[2]})
}

// storeCounts stores counts in the key.
func storeCounts(e *store.Entry, c window.Counts) {
	if max(c.Current, c.Previous) < slidingBase {
		e.SetInt(c.Previous*slidingBase+c.Current, c.End/1e6)
		return
	}
	text := decimal.Append(make([]byte, 0, 40), c.Previous)
	e.SetBytes(decimal.Append(append(text, '+'), c.Current), c.End/1e6)
}

// slidingCounts returns the counts that a key holds.
func slidingCounts(e *store.Entry) (c window.Counts, err error) {
	if e.Kind() == store.Raw {
		previous, current, ok := bytes.Cut(e.Bytes(nil), []byte{'+'})
		if c.Previous, c.Current, ok = twoCounts(previous, current, ok); ok {
			c.End, err = windowEnd(e)
			return c, err
		}
	}
	n, err := counter(e)
	switch {
	case err != nil:
		return c, err
	case n.Used < 0:
		return c, errNoSliding
	}
	return window.Counts{Current: n.Used % slidingBase, Previous: n.Used / slidingBase, End: n.End}, nil
}

// twoCounts parses two counts whose sum fits an int64.
func twoCounts(first, second []byte, found bool) (x, y int64, ok bool) {
	x, okX := decimal.Parse(first)
	y, okY := decimal.Parse(second)
	_, fits := exact.Add(x, y)
	return x, y, found && okX && okY && x >= 0 && y >= 0 && fits
}
