// Package limits holds the commands of the limiters and of rules: CL.THROTTLE, CL.WINDOW, CL.CHECK,
// CL.RULE and others.
//
// A file holds the row of a command and its reply. Package limiters decides about a key; the
// arithmetic is in package gcra and in the folders below limiters. ask.go has the steps that all
// limiters of one key share, ask_all.go those of several keys. cost.go prices large quantities.
//
// May use: the rules, and the counters of decisions.
//
// A command is one file, with its test beside it.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
package limits
