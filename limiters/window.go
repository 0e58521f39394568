package limiters

import (
	"errors"
	"iter"

	"cellserver/internal/rediserr"
	"cellserver/limiters/calendar"
	"cellserver/limiters/window"
	"cellserver/store"
)

// FixedWindow is the limiter of CL.WINDOW. Its key holds a counter and expires at the end of the
// window.
type FixedWindow struct {
	plainKey
	window.Fixed
}

// errUnit is the error of a period that contradicts the unit of ALIGN.
var errUnit = errors.New("period must be 0 or the length of the unit: " +
	"86400 for day, 604800 for week, 2419200 to 2678400 for month, 31536000 or 31622400 for year")

// errNoUnit is the error of an option of the calendar without a unit of the calendar.
const errNoUnit rediserr.Error = "ERR TZ and DAY need a unit: " +
	"ALIGN day, ALIGN week, ALIGN month or ALIGN year"

// Errors of the option DAY.
var (
	errDayOfWeek  = errors.New("day is not a day of the week: use sunday to saturday")
	errDayOfMonth = errors.New("day is not a day of the month: use 1 to 31")
	errDayOfDay   = errors.New("day needs ALIGN week or ALIGN month")
)

// windowOptions are the options of a window.
const windowOptions = OptAlign | OptTZ | OptDay

// ReadWindow parses the arguments limit and period and the options ALIGN, TZ and DAY. With a unit of the
// calendar after ALIGN, the calendar says how long a window is.
func ReadWindow(a *Args) (FixedWindow, error) {
	limit, period := a.Integer("limit"), a.Seconds("period")
	return windowOf(a, limit, period, a.Finish(windowOptions))
}

// windowOf returns a window, unless its request has an error.
func windowOf(a *Args, limit, period int64, err error) (w FixedWindow, _ error) {
	switch {
	case err != nil:
	case a.unit == 0 && (a.Has(OptTZ) || a.Has(OptDay)):
		err = errNoUnit
	case a.unit == 0:
		w.Fixed, err = window.NewFixed(limit, period, a.Has(OptAlign))
	default:
		w.Fixed, err = calendarWindow(limit, period, a)
	}
	return w, err
}

func calendarWindow(limit, period int64, a *Args) (f window.Fixed, err error) {
	if period != 0 && !a.unit.Takes(period) {
		return f, errUnit
	}
	switch {
	case !a.Has(OptDay):
	case a.unit == calendar.Day || a.unit == calendar.Year:
		return f, errDayOfDay
	case a.unit == calendar.Week && !a.weekday:
		return f, errDayOfWeek
	case a.unit == calendar.Month && a.weekday:
		return f, errDayOfMonth
	}
	c, err := calendar.Of(a.unit, a.day, string(a.zone))
	if err != nil {
		return f, err
	}
	return window.NewCalendar(limit, c)
}

// Decide implements [Limiter].
func (w FixedWindow) Decide(e *store.Entry, a *Answer, now, quantity int64) error {
	count, err := counter(e)
	if err != nil {
		return err
	}
	return a.setWindow(w.Fixed.Decide(count, now, quantity))
}

// Charge implements [Budget].
func (w FixedWindow) Charge(e *store.Entry, a *Answer, now, quantity int64) error {
	count, err := counter(e)
	if err != nil {
		return err
	}
	return a.setWindow(w.Fixed.Charge(count, now, quantity))
}

// Reserving implements [Limit].
func (w FixedWindow) Reserving() Budget { return w }

// Mark implements [Budget]. It is the end of the window that counts the quantity.
func (w FixedWindow) Mark(a *Answer) Mark { return Mark{IsTime: true, Value: a.state[1]} }

// Settle implements [Budget].
func (w FixedWindow) Settle(e *store.Entry, a *Answer, now int64, s *Settlement) error {
	count, err := counter(e)
	if err != nil {
		return err
	}
	return a.setWindow(w.Fixed.Settle(count, now, s.Value, s.more()))
}

// Release implements [Budget].
func (w FixedWindow) Release(e *store.Entry, _ int64, ended iter.Seq2[int64, *Settlement]) error {
	before, err := counter(e)
	if err != nil {
		return err
	}
	count := before
	for end, s := range ended {
		if d, next, err := w.Fixed.Settle(count, end, s.Value, s.more()); err == nil && d.Changed {
			count = next
		}
	}
	if count != before {
		e.SetInt(count.Used, count.End/1e6)
	}
	return nil
}

// State implements [Limit].
func (w FixedWindow) State(e *store.Entry, now int64) []Field {
	c, _ := counter(e)
	if now >= c.End {
		c.Used = 0
	}
	return []Field{{"used", c.Used}, {"window_end", unlessPast(c.End, now)}}
}

func (a *Answer) setWindow(d window.Decision, count window.Count, err error) error {
	a.Set(d.Limited, d.Changed, d.Limit, d.Remaining, d.RetryAfter, d.ResetAfter)
	a.state[0], a.state[1] = count.Used, count.End
	return err
}

// Apply implements [Limiter].
func (w FixedWindow) Apply(e *store.Entry, a *Answer, _ int64) {
	e.SetInt(a.state[0], a.state[1]/1e6)
}
