package extra

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"cellserver/envoy/count"
	"cellserver/gcra"
	"cellserver/limiters/calendar"
	"cellserver/limiters/window"
)

// maxLimits bounds the limits of a rule.
const maxLimits = 8

// Longest is the longest period.
const Longest = 10 * 365 * 24 * time.Hour

// A Limit is a limit with a window of any length.
type Limit struct {
	Limit     uint32
	Period    time.Duration // such as 90s or 24h
	Calendar  string        // or a unit of the calendar: day, week, month or year
	Zone      string        // the time zone of Calendar, such as Europe/Berlin
	Algorithm string
	Burst     uint64 // of gcra
}

var (
	algorithms = []string{"", count.FixedWindow, count.SlidingWindow, count.GCRA, count.Log}
	calendars  = []string{"", "day", "week", "month", "year"}
)

// check checks a limit.
func (l Limit) check() error {
	if !slices.Contains(calendars, l.Calendar) {
		return fmt.Errorf("calendar '%s': it must be day, week, month or year", l.Calendar)
	}
	switch {
	case l.Period != 0 && l.Calendar != "":
		return fmt.Errorf("a limit has the period %v and calendar %s: leave one out", l.Period, l.Calendar)
	case l.Calendar == "" && (l.Period <= 0 || l.Period > Longest || l.Period%time.Millisecond != 0):
		return fmt.Errorf("period %v: it must be whole milliseconds such as 90s or 24h, at most 10 years",
			l.Period)
	case l.Calendar == "" && l.Zone != "":
		return fmt.Errorf("zone '%s' needs a calendar: day, week, month or year", l.Zone)
	case l.Calendar != "" && l.Algorithm != "" && l.Algorithm != count.FixedWindow:
		return fmt.Errorf("algorithm '%s' has no calendar: leave one out", l.Algorithm)
	}
	if _, err := calendar.Of(calendar.Day, 0, l.Zone); err != nil {
		return fmt.Errorf("zone '%s': %w", l.Zone, err)
	}
	return checkAlgorithm(l.Algorithm, l.Burst)
}

// Check checks that the algorithm of a limit can count it. Without this each request would be an error.
func Check(h *count.Hit) (err error) {
	limit, period := int64(h.Limit), int64(h.Period)
	switch h.Algorithm {
	case count.SlidingWindow:
		_, err = window.NewSliding(limit, period)
	case count.GCRA:
		if limit == 0 {
			return errors.New("limit 0: gcra needs at least 1: use another algorithm to refuse all")
		}
		burst := min(cmp.Or(h.Burst, h.Limit), math.MaxInt64)
		if _, err = gcra.NewQuotaIn(int64(burst)-1, limit, period); err != nil {
			return fmt.Errorf("limit %d, period %v and burst %d are too much for gcra",
				limit, h.Period, burst)
		}
	}
	if err != nil {
		return fmt.Errorf("limit %d of %s: %w", limit, h.Algorithm, err)
	}
	return nil
}

// checkAlgorithm checks the name of an algorithm.
func checkAlgorithm(name string, burst uint64) error {
	if !slices.Contains(algorithms, name) {
		return fmt.Errorf("algorithm '%s': it must be fixed_window, sliding_window, gcra or log", name)
	}
	if burst != 0 && name != count.GCRA {
		return fmt.Errorf("burst %d is for the algorithm gcra", burst)
	}
	return nil
}
