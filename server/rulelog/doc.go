// Package rulelog says who changed which rule: in the log, and as an event on the channel
// commands.RuleChannel.
//
//	rulelog.go  Log: one line and one message for each change
//	lines.go    Lines: how many lines clients cause; Bounded: how long their texts are
//
// Invariants: texts of clients are quoted and of bounded length. The number of lines is limited, so
// a client that changes rules all the time does not fill the log. Neither does a script that logs. The
// next line says how many are missing. The channel has every change.
//
// Locks: Lines.mu guards the limit, and is an innermost lock. No partition is locked while Log writes a line.
// A script writes its line while its partitions are locked.
package rulelog
