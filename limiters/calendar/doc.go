// Package calendar says when the days, weeks, months and years of a time zone end.
//
// It is a pure function of (calendar, now). The caller reads the clock. The rules of time zones come from
// the system. If the system has no such rules, the rules inside the program apply.
//
// A day begins with the first moment of its date. If the clocks skip midnight, this is the moment of the
// change. If midnight comes twice, the day begins with the first one. A week begins on Monday, or on the
// weekday that the caller names. A month begins on its first day, or on the day that the caller names.
// If a month is shorter, it begins on its last day.
//
// calendar.go holds everything.
//
// Invariants: the end that End returns is later than now. The same arguments give the same answer.
//
// Locks: only the list of the zones in use has a lock.
package calendar
