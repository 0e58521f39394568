package limits

import (
	"math"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/server/servertest"
)

// TestClWindow: a window begins with the first action.
func TestClWindow(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.WINDOW k 3 60", []any{0, 3, 2, -1, 60})
	h.Advance(20 * time.Second)
	h.Want("CL.WINDOW k 3 60 2", []any{0, 3, 0, -1, 40})
	h.Want("GET k", "3")
	h.Want("CL.WINDOW k 3 60", []any{1, 3, 0, 40, 40})
	h.Want("CL.WINDOW k 3 60 4", []any{1, 3, 0, -1, 40})
	h.Want("CL.WINDOW k 3 60 0", []any{0, 3, 0, -1, 40})
	h.Advance(40 * time.Second)
	h.Want("CL.WINDOW k 3 60 MS PEEK", []any{0, 3, 2, -1, 60000})
	h.Want("CL.WINDOW k 3 60 2 ms", []any{0, 3, 1, -1, 60000})
}

// TestClWindowAlign: windows begin with the minutes of the clock.
func TestClWindowAlign(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000) // 20 s into a minute
	h.Want("CL.WINDOW k 3 60 ALIGN 2", commands.Error("ERR ALIGN '2': use day, week, month, year, or no word for multiples of the period"))
	h.Want("CL.WINDOW k 3 60 2 align", []any{0, 3, 1, -1, 40})
	h.Advance(39999 * time.Millisecond)
	h.Want("CL.WINDOW k 3 60 2 align", []any{1, 3, 1, 1, 1})
	h.Advance(time.Millisecond)
	h.Want("CL.WINDOW k 3 60 3 align", []any{0, 3, 0, -1, 60})
}

// TestCalendarWindows: windows of the days, weeks, months and years of a time zone, over changes of the clocks.
func TestCalendarWindows(t *testing.T) {
	h := servertest.New(t)
	at := func(year int, month time.Month, day, hour int) {
		h.At(time.Date(year, month, day, hour, 0, 0, 0, time.UTC).UnixNano())
	}
	at(2026, 3, 28, 23) // midnight in Berlin; this day has 23 hours
	h.Want("CL.WINDOW day 10 86400 ALIGN day TZ Europe/Berlin", []any{0, 10, 9, -1, 23 * 3600})
	h.Want("CL.WINDOW week 10 0 2 ALIGN WEEK TZ Europe/Berlin", []any{0, 10, 8, -1, 23 * 3600})
	h.Want("CL.WINDOW month 10 2592000 10 tz Europe/Berlin ALIGN month", []any{0, 10, 0, -1, 3*86400 - 3600})
	h.Want("CL.WINDOW utc 10 604800 ALIGN week", []any{0, 10, 9, -1, 25 * 3600})
	h.Want("CL.WINDOW year 10 31536000 4 ALIGN year TZ Europe/Berlin", []any{0, 10, 6, -1, 278 * 86400})
	at(2026, 3, 29, 22) // the next day
	h.Want("CL.WINDOW day 10 0 ALIGN day TZ Europe/Berlin", []any{0, 10, 9, -1, 86400})
	at(2028, 2, 1, 5)
	h.Do("CL.RULE SET bill CL.WINDOW 1000 2592000 ALIGN month TZ America/New_York")
	h.Want("CL.CHECK bill acme 400", []any{0, 1000, 600, -1, 29 * 86400})
	h.Want("CL.RESERVE bill acme 600 r 2592000", []any{0, 1000, 0, -1, 29 * 86400})
	at(2028, 3, 1, 4)
	h.Want("CL.CHECK bill acme", []any{1, 1000, 0, 3600, 3600})
	at(2028, 3, 1, 5)
	h.Want("CL.SETTLE bill acme r 1600", []any{0, 1000, 1000, -1, 0}) // the month of the reservation has ended
	h.Want("CL.CHECK bill acme", []any{0, 1000, 999, -1, 31*86400 - 3600})

	for words, want := range map[string]commands.Error{
		"10 3600 ALIGN day": "ERR period '3600' must be 0 or the length of the unit: " +
			"86400 for day, 604800 for week, 2419200 to 2678400 for month, 31536000 or 31622400 for year",
		"10 0 ALIGN":                   "ERR period '0' must be a whole number of milliseconds, at least one",
		"10 0 ALIGN hour":              "ERR ALIGN 'hour': use day, week, month, year, or no word for multiples of the period",
		"10 60 TZ UTC":                 "ERR TZ and DAY need a unit: ALIGN day, ALIGN week, ALIGN month or ALIGN year",
		"10 60 ALIGN TZ UTC":           "ERR TZ and DAY need a unit: ALIGN day, ALIGN week, ALIGN month or ALIGN year",
		"10 0 ALIGN day TZ":            "ERR syntax error: 'TZ' needs a time zone such as Europe/Berlin after it",
		"10 0 ALIGN day day":           "ERR syntax error: 'day' needs a weekday, or a day of the month, after it",
		"10 0 ALIGN day TZ UTC TZ UTC": "ERR syntax error: 'TZ' repeats",
		"10 0 ALIGN day TZ Mars":       "ERR tz 'Mars' is not a time zone such as Europe/Berlin",
		"-1 0 ALIGN day":               "ERR limit '-1' must not be negative",
	} {
		h.Want("CL.WINDOW new "+words, want)
	}
	h.Want("EXISTS new", 0)
}

// TestClWindowCharge: a charge counts beyond the limit, at most what an int64 holds.
func TestClWindowCharge(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.WINDOW k 10 60 8 CHARGE", []any{0, 10, 2, -1, 60})
	h.Want("CL.WINDOW k 10 60 8", []any{1, 10, 2, 60, 60})
	h.Advance(15 * time.Second)
	h.Want("CL.WINDOW k 10 60 8 charge PEEK", []any{1, 10, -6, 45, 45})
	h.Want("CL.WINDOW k 10 60 8 CHARGE MS", []any{1, 10, -6, 45000, 45000})
	h.Want("CL.WINDOW k 10 60 0 CHARGE", []any{1, 10, -6, 45, 45})
	h.Want("CL.WINDOW k 10 60 9223372036854775807 CHARGE", []any{1, 10, 10 - math.MaxInt64, 45, 45})
	h.Want("CL.WINDOW k 10 60 9223372036854775807 CHARGE", []any{1, 10, 10 - math.MaxInt64, 45, 45})
	h.Want("GET k", "9223372036854775807")
	h.Advance(45 * time.Second)
	h.Want("CL.WINDOW k 9223372036854775807 60 9223372036854775807 CHARGE", []any{0, math.MaxInt64, 0, -1, 60})
	h.Want("CL.WINDOW zero 0 60 1 CHARGE", []any{1, 0, -1, -1, 60})
	h.Want("CL.RULE SET r CL.WINDOW 10 60 CHARGE",
		commands.Error("ERR syntax error: 'CHARGE' is not an option of CL.WINDOW in a rule: use ALIGN, TZ, DAY"))
}

// TestClWindowGiveBack: a quantity below 0 gives back what counts in the window of now, and no more.
func TestClWindowGiveBack(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.WINDOW k 10 60 -3", []any{0, 10, 10, -1, 0})
	h.Want("EXISTS k", 0)
	h.Want("CL.WINDOW k 10 60 9", []any{0, 10, 1, -1, 60})
	h.Advance(20 * time.Second)
	h.Want("CL.WINDOW k 10 60 -3 PEEK", []any{0, 10, 4, -1, 40})
	h.Want("CL.WINDOW k 10 60 -3", []any{0, 10, 4, -1, 40})
	h.Want("CL.WINDOW k 10 60 QUANTITY -9223372036854775808", []any{0, 10, 10, -1, 0})
	h.Want("CL.WINDOW k 10 60 10", []any{0, 10, 0, -1, 40}) // in the same window
	h.Want("CL.WINDOW k 10 60 5 CHARGE", []any{1, 10, -5, 40, 40})
	h.Want("CL.WINDOW k 10 60 -2", []any{0, 10, -3, -1, 40})
	h.Want("CL.WINDOW k 10 60 -2 CHARGE", []any{0, 10, -1, -1, 40})
	h.Advance(40 * time.Second)
	h.Want("CL.WINDOW k 10 60 -2", []any{0, 10, 10, -1, 0}) // of a window that has ended
	h.Want("CL.WINDOW k 10 60", []any{0, 10, 9, -1, 60})

	h.At(time.Date(2026, 1, 31, 23, 0, 0, 0, time.UTC).UnixNano())
	h.Want("CL.WINDOW m 10 0 4 ALIGN month", []any{0, 10, 6, -1, 3600})
	h.Want("CL.WINDOW m 10 0 -1 ALIGN month", []any{0, 10, 7, -1, 3600})
	h.Advance(time.Hour)
	h.Want("CL.WINDOW m 10 0 -1 ALIGN month", []any{0, 10, 10, -1, 0})
	h.Want("CL.RULE SET r CL.WINDOW 10 60", servertest.OK)
	h.Want("CL.CHECK r k -1", commands.Error("ERR quantity '-1' must not be negative"))
}
