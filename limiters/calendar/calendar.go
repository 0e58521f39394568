package calendar

import (
	"errors"
	"math"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for systems without time zones
)

// Unit is a day, a week or a month.
type Unit uint8

// The units.
const (
	Day Unit = 1 + iota
	Week
	Month
)

var errZone = errors.New("tz is not a time zone such as Europe/Berlin")

// Calendar divides time into days, weeks or months of a time zone. Of returns one.
type Calendar struct {
	unit Unit
	zone *time.Location
}

// key is a calendar by the name of its zone.
type key struct {
	unit Unit
	zone string
}

// known holds every calendar that Of has returned. There are at most three for each time zone.
var known sync.Map

// longestZone is the largest length of a name.
const longestZone = 64

// Of returns the calendar of a unit in a time zone of the IANA database. An empty name is UTC.
func Of(unit Unit, zone string) (*Calendar, error) {
	if zone == "" {
		zone = "UTC"
	}
	if c, ok := known.Load(key{unit, zone}); ok {
		return c.(*Calendar), nil
	}
	if len(zone) > longestZone || zone == "Local" || strings.HasPrefix(zone, "right/") { // zones below right/ count leap seconds
		return nil, errZone
	}
	location, err := time.LoadLocation(zone)
	if err != nil {
		return nil, errZone
	}
	c, _ := known.LoadOrStore(key{unit, strings.Clone(zone)}, &Calendar{unit, location})
	return c.(*Calendar), nil
}

// day is a day of 24 hours, in ns.
const day = int64(24 * time.Hour)

// Length returns the length in ns of the longest unit, with 24 hours a day. A month has up to 31 days.
func (c *Calendar) Length() int64 {
	switch c.unit {
	case Day:
		return day
	case Week:
		return 7 * day
	}
	return 31 * day
}

// Takes reports whether a unit may last a number of nanoseconds. A month has 28 to 31 days. A day on which the clocks
// change counts as 24 hours, too.
func (u Unit) Takes(ns int64) bool {
	switch u {
	case Day:
		return ns == day
	case Week:
		return ns == 7*day
	}
	return ns%day == 0 && 28*day <= ns && ns <= 31*day
}

// End returns the end of the unit at now, in ns since the epoch. ok reports whether it fits an int64.
func (c *Calendar) End(now int64) (end int64, ok bool) {
	year, month, day := time.Unix(0, now).In(c.zone).Date()
	for n := 0; ; n++ {
		seconds := c.begin(year, month, day, n)
		if seconds > math.MaxInt64/1_000_000_000 {
			return 0, false
		}
		if end = seconds * 1_000_000_000; end > now {
			return end, true
		}
	}
}

// begin returns the Unix second at which a unit begins: n units after the unit that has the date.
func (c *Calendar) begin(year int, month time.Month, day, n int) int64 {
	switch c.unit {
	case Week:
		weekday := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Weekday()
		day += 7*n - int(weekday+6)%7
	case Month:
		month, day = month+time.Month(n), 1
	default:
		day += n
	}
	return c.midnight(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix())
}

// midnight returns the Unix second at which a day begins. utc is the Unix second at which this date begins in UTC.
func (c *Calendar) midnight(utc int64) int64 {
	const day = 24 * 60 * 60
	before, after := utc-c.offset(utc-day), utc-c.offset(utc+day)
	switch {
	case utc-c.offset(before) == before:
		return before
	case utc-c.offset(after) == after:
		return after
	}
	skipped, _ := time.Unix(before, 0).In(c.zone).ZoneBounds()
	return skipped.Unix()
}

// offset returns how many seconds the zone is ahead of UTC at a Unix second.
func (c *Calendar) offset(unix int64) int64 {
	_, seconds := time.Unix(unix, 0).In(c.zone).Zone()
	return int64(seconds)
}
