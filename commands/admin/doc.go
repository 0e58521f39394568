// Package admin holds the commands that administer the server: INFO, CONFIG, SLOWLOG, LATENCY,
// MONITOR, MEMORY, COMMAND, ACL, DEBUG, SAVE and others.
//
// May use: the settings, the clock, the log, the statistics, the monitors, persistence and control.
//
// A command is one file, with its test beside it. A command that returns an error has written
// nothing. The package takes no locks: a command runs while the server holds the partitions of
// its keys.
package admin
