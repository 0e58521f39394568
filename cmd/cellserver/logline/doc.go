// Package logline writes the lines of the log.
//
//	logline.go  New: a handler of package slog for log-format, with the levels of Redis
//	file.go     File: the logfile, which log rotation may rename
//
// Invariants: a line of log-format json is one object. A line has the format that is in force when it is
// written.
//
// The format is an atomic. There are no locks: the handlers of slog write a line at once.
package logline
