package phrase

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"

	"cellserver/internal/quote"
)

// limit is what a text says.
type limit struct {
	count, times int64 // actions, and units in the period
	unit         *unit // nil if no period was read
	burst        int64 // 0 without burst
	scope, zone  string
	windows      bool // in windows
	clock        bool // by the clock
}

// exactly is the largest count whose actions have an entry each. The entries of a larger count share 100
// parts of the period. So a key never has more than 101 entries.
const exactly = 100

// command returns the command of a limiter.
func (l *limit) command() (string, error) {
	ns, err := l.nanos()
	switch {
	case err != nil:
		return "", err
	case l.kinds() > 1:
		return "", failf("burst, 'in windows', 'by the clock' and a time zone exclude each other: " +
			"write one of them")
	case l.burst > 0:
		return l.rate(ns)
	case l.windows:
		return fmt.Sprintf("CL.WINDOW %d %s", l.count, seconds(ns)), nil
	case l.clock && day%ns != 0:
		return "", failf("'by the clock' needs a period of which a day is a multiple: " +
			"such as an hour or 15 minutes")
	case l.clock:
		return fmt.Sprintf("CL.WINDOW %d %s ALIGN", l.count, seconds(ns)), nil
	case l.isCalendar() && l.zone != "":
		return fmt.Sprintf("CL.WINDOW %d 0 ALIGN %s TZ %s", l.count, l.unit.name, l.zone), nil
	case l.isCalendar():
		return fmt.Sprintf("CL.WINDOW %d 0 ALIGN %s", l.count, l.unit.name), nil
	case l.zone != "":
		return "", failf("a time zone needs a day, a week or a month: write %d a day in %s", l.count,
			quote.Word(l.zone))
	case l.count > exactly:
		return fmt.Sprintf("CL.LOG %d %s RESOLUTION %s", l.count, seconds(ns), seconds(ns/exactly)), nil
	}
	return fmt.Sprintf("CL.LOG %d %s", l.count, seconds(ns)), nil
}

// kinds returns how many words choose a limiter.
func (l *limit) kinds() (n int) {
	for _, is := range []bool{l.burst > 0, l.windows, l.clock, l.zone != ""} {
		if is {
			n++
		}
	}
	return n
}

// isCalendar reports whether the period is one day, week or month.
func (l *limit) isCalendar() bool { return l.unit.calendar && l.times == 1 }

// nanos returns the length of the period, and 0 for a month of the calendar.
func (l *limit) nanos() (int64, error) {
	month, fixed := l.unit.nanos == 0, l.burst > 0 || l.windows || l.clock
	over, ns := bits.Mul64(uint64(l.unit.nanos), uint64(l.times))
	switch {
	case month && l.times > 1:
		return 0, failf("%d months have no fixed length: write a month, or days such as per 90 days", l.times)
	case month && fixed:
		return 0, failf("a month has no fixed length: write per 30 days before burst, windows and clock")
	case over > 0 || ns > math.MaxInt64:
		return 0, failf("a period of %d × %s is too long: at most 36500 days", l.times, l.unit.name)
	}
	return int64(ns), nil
}

// rate returns the command of a rate with a burst. Its period is a whole number of seconds, so a shorter one
// becomes longer together with its count.
func (l *limit) rate(ns int64) (string, error) {
	part := int64(1e9) // the greatest common divisor of a second and the period
	for rest := ns; rest != 0; {
		part, rest = rest, part%rest
	}
	factor := 1e9 / part
	over, count := bits.Mul64(uint64(l.count), uint64(factor))
	if over > 0 || count > math.MaxInt64 {
		return "", failf("the limit is too large for this period: at most %d", math.MaxInt64/factor)
	}
	return fmt.Sprintf("CL.THROTTLE %d %d %d", l.burst-1, count, ns/part), nil
}

// seconds writes nanoseconds as seconds.
func seconds(ns int64) string {
	text := strconv.FormatInt(ns/1e9, 10)
	if rest := ns % 1e9; rest != 0 {
		text += strings.TrimRight(fmt.Sprintf(".%09d", rest), "0")
	}
	return text
}
