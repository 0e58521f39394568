// Package admin holds the commands that administer the server: INFO, CONFIG, SLOWLOG, LATENCY,
// MONITOR, MEMORY, COMMAND, ACL, DEBUG, SAVE and others.
//
// The files without a command of their own: command_docs.go makes the reply of COMMAND DOCS.
// debug_protocol.go has the replies of DEBUG PROTOCOL, and latency_report.go the texts of LATENCY.
// acl_users.go, acl_file.go and acl_log.go have the subcommands of ACL.
//
// May use: the settings, the clock, the log, the statistics, the monitors, persistence and control.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package admin
