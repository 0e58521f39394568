package backend

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
	"time"

	"cellserver/envoy/count"
	"cellserver/limiters/calendar"
)

// keyOf returns the key of a counter. Windows of another kind have another key. tag is a hash tag, or
// empty.
func keyOf(prefix, tag string, h *count.Hit) string {
	var b strings.Builder
	b.Grow(len(prefix) + len(tag) + len(h.Key) + 24)
	b.WriteString(prefix)
	b.WriteString(tag)
	b.WriteString(h.Key)
	b.WriteByte('/')
	if h.Calendar != "" {
		b.WriteString(h.Calendar)
		b.WriteByte('@')
		b.WriteString(h.Zone)
	} else {
		b.WriteString(secondsOf(h.Period))
	}
	if h.Algorithm != "" && h.Algorithm != count.FixedWindow {
		b.WriteByte('/')
		b.WriteString(h.Algorithm)
	}
	return b.String()
}

// tagOf is the hash tag of a domain. All keys of a domain are then in one slot. It is never empty,
// because an empty one is none.
func tagOf(domain string) string { return "{d" + domain + "}" }

// secondsOf writes a period in seconds, as CL.MWINDOW reads it.
func secondsOf(d time.Duration) string {
	seconds, rest := d/time.Second, d%time.Second
	switch {
	case rest == 0:
		return strconv.FormatInt(int64(seconds), 10)
	case rest%time.Millisecond == 0:
		return fmt.Sprintf("%d.%03d", seconds, rest/time.Millisecond)
	}
	return fmt.Sprintf("%d.%09d", seconds, rest)
}

// units are those of the calendar that the engine knows.
var units = map[string]calendar.Unit{
	"day": calendar.Day, "week": calendar.Week, "month": calendar.Month, "year": calendar.Year,
}

// endOf returns the end of the window at now. The hit is one that is supported.
func endOf(h *count.Hit, now time.Time) (time.Time, error) {
	if h.Calendar == "" {
		return now.Add(h.Period - time.Duration(now.UnixNano())%h.Period), nil
	}
	c, err := calendar.Of(units[h.Calendar], 0, h.Zone)
	if err != nil {
		return now, fmt.Errorf("zone '%s': %w", h.Zone, err)
	}
	end, ok := c.End(now.UnixNano())
	if !ok {
		end = math.MaxInt64
	}
	return time.Unix(0, end), nil
}

// algorithms are the words of CL.MWINDOW. A fixed window has none.
var algorithms = map[string]string{
	"": "", count.FixedWindow: "", count.SlidingWindow: "SLIDING", count.Log: "LOG", count.GCRA: "GCRA",
}

// atOnce is what a limit admits at once.
func atOnce(h *count.Hit) uint64 {
	if h.Algorithm == count.GCRA && h.Burst > 0 {
		return h.Burst
	}
	return h.Limit
}

// periodOf is the time in which all comes back that a limit admits at once.
func periodOf(h *count.Hit) time.Duration {
	if h.Algorithm != count.GCRA || h.Burst == 0 || h.Limit == 0 {
		return h.Period
	}
	high, low := bits.Mul64(uint64(h.Period), h.Burst)
	if high >= h.Limit {
		return math.MaxInt64
	}
	period, _ := bits.Div64(high, low, h.Limit)
	return time.Duration(min(max(1, period), math.MaxInt64))
}

// supported returns the error of a hit that no engine counts.
func supported(h *count.Hit) error {
	by, known := algorithms[h.Algorithm]
	switch {
	case !known:
		return fmt.Errorf("%w: algorithm %s: use fixed_window, sliding_window, gcra or log",
			count.ErrUnsupported, h.Algorithm)
	case by != "" && h.Calendar != "":
		return fmt.Errorf("%w: algorithm %s by the calendar: only a fixed_window has a calendar",
			count.ErrUnsupported, h.Algorithm)
	case h.GiveBack && h.Algorithm == count.Log:
		return fmt.Errorf("%w: a log gives no hits back: use another algorithm", count.ErrUnsupported)
	case h.Calendar != "" && units[h.Calendar] == 0:
		return fmt.Errorf("%w: windows of a %s: use day, week, month or year",
			count.ErrUnsupported, h.Calendar)
	case h.Calendar == "" && (h.Period < time.Millisecond || h.Period%time.Millisecond != 0):
		return fmt.Errorf("%w: period %v: use whole milliseconds, at least one",
			count.ErrUnsupported, h.Period)
	}
	return nil
}
