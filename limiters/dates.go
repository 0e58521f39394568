package limiters

import (
	"errors"

	"cellserver/internal/decimal"
	"cellserver/internal/word"
	"cellserver/limiters/calendar"
)

// dates are the options of windows that follow the calendar.
type dates struct {
	unit    calendar.Unit
	zone    []byte // empty for UTC
	day     int    // of a week 1 (Sunday) to 7, of a month 1 to 31; 0 for the usual one
	weekday bool   // day is a weekday
}

// calendarUnit returns the unit of the calendar that words begin with. It returns 0 if they do not begin with
// a unit.
func calendarUnit(words [][]byte) calendar.Unit {
	for i, name := range [...]string{"day", "week", "month", "year"} {
		if len(words) > 0 && word.Is(words[0], name) {
			return calendar.Day + calendar.Unit(i)
		}
	}
	return 0
}

var errDay = errors.New("day is not a weekday such as sunday, or a day of the month from 1 to 31")

var weekdays = [...]string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}

// dayOf parses a weekday, 1 (Sunday) to 7, or a day of the month. It returns 0 for another word.
func dayOf(arg []byte) (day int, weekday bool) {
	for i, name := range weekdays {
		if word.Is(arg, name) {
			return 1 + i, true
		}
	}
	if n, ok := decimal.Parse(arg); ok && 1 <= n && n <= 31 {
		return int(n), false
	}
	return 0, false
}
