package calendar

import (
	"errors"
	"math"
	"path"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // for systems without time zones
)

// Unit is a day, a week, a month or a year.
type Unit uint8

// The units.
const (
	Day Unit = 1 + iota
	Week
	Month
	Year
)

var (
	errZone  = errors.New("tz is not a time zone such as Europe/Berlin")
	errBegin = errors.New("day is not a day of this unit")
)

// Calendar divides time into days, weeks, months or years of a time zone. Of returns one.
type Calendar struct {
	unit  Unit
	begin int // the day on which a unit begins: of a month 1 to 31, of a week 0 (Sunday) to 6
	zone  *time.Location
}

// zone has all calendars of a time zone.
type zone [1 + 7 + 31 + 1]Calendar

// known holds the zones that Of has used, by their names.
var known sync.Map

// longestZone is the largest length of a name.
const longestZone = 64

// Of returns the calendar of a unit in a time zone of the IANA database. An empty name is UTC. begin is
// the day on which a unit begins: 1 to 31 in a month, 1 (Sunday) to 7 in a week. 0 is Monday, or the first
// day of a month. A month with fewer days begins on its last day.
func Of(unit Unit, begin int, name string) (*Calendar, error) {
	first, most, usual := 0, 0, 0 // where the calendars of the unit are
	switch unit {
	case Week:
		first, most, usual = 0, 7, 2
	case Month:
		first, most, usual = 7, 31, 1
	case Year:
		first = 39
	}
	if begin == 0 {
		begin = usual
	}
	if begin > most {
		return nil, errBegin
	}
	z, err := zoneOf(name)
	if err != nil {
		return nil, err
	}
	return &z[first+begin], nil
}

// zoneOf returns the calendars of a time zone.
func zoneOf(name string) (*zone, error) {
	if name == "" {
		name = "UTC"
	}
	if z, ok := known.Load(name); ok {
		return z.(*zone), nil
	}
	// A zone has one name: known would grow for ever by Europe//Berlin, ./Europe/Berlin and so on. Zones below
	// right/ count leap seconds.
	if len(name) > longestZone || name == "Local" || path.Clean(name) != name ||
		strings.HasPrefix(name, "right/") {
		return nil, errZone
	}
	location, err := time.LoadLocation(name)
	if err != nil {
		return nil, errZone
	}
	z := &zone{{unit: Day, zone: location}}
	for i := range 7 {
		z[1+i] = Calendar{Week, i, location}
	}
	for i := range 31 {
		z[8+i] = Calendar{Month, 1 + i, location}
	}
	z[39] = Calendar{unit: Year, zone: location}
	kept, _ := known.LoadOrStore(strings.Clone(name), z)
	return kept.(*zone), nil
}

// day is a day of 24 hours, in ns.
const day = int64(24 * time.Hour)

// Length returns the length in ns of the longest unit, with 24 hours a day. A month has up to 31 days, and a
// year up to 366.
func (c *Calendar) Length() int64 {
	switch c.unit {
	case Day:
		return day
	case Week:
		return 7 * day
	case Month:
		return 31 * day
	}
	return 366 * day
}

// Takes reports whether a unit may last a number of nanoseconds. A month has 28 to 31 days, and a year
// 365 or 366. A day on which the clocks change counts as 24 hours, too.
func (u Unit) Takes(ns int64) bool {
	switch u {
	case Day:
		return ns == day
	case Week:
		return ns == 7*day
	case Year:
		return ns == 365*day || ns == 366*day
	}
	return ns%day == 0 && 28*day <= ns && ns <= 31*day
}

// End returns the end of the unit at now, in ns since the epoch. ok reports whether it fits an int64.
func (c *Calendar) End(now int64) (end int64, ok bool) {
	year, month, day := time.Unix(0, now).In(c.zone).Date()
	for n := 0; ; n++ {
		seconds := c.beginOf(year, month, day, n)
		if seconds > math.MaxInt64/1_000_000_000 {
			return 0, false
		}
		if end = seconds * 1_000_000_000; end > now {
			return end, true
		}
	}
}

// beginOf returns the Unix second at which a unit begins. It is n units after the day, the week, the
// calendar month or the year that has the date.
func (c *Calendar) beginOf(year int, month time.Month, day, n int) int64 {
	switch c.unit {
	case Week:
		weekday := time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Weekday()
		day += 7*n - (int(weekday)-c.begin+7)%7
	case Month:
		month += time.Month(n)
		last := time.Date(year, month+1, 0, 0, 0, 0, 0, time.UTC).Day()
		day = min(c.begin, last)
	case Year:
		year, month, day = year+n, time.January, 1
	default:
		day += n
	}
	return c.midnight(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix())
}

// midnight returns the Unix second at which a day begins. utc is the Unix second at which this date begins
// in UTC.
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
