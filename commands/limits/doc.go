// Package limits holds the commands of the limiters: CL.THROTTLE, CL.WINDOW, CL.CHECK, CL.RULE and
// their kin.
//
// A file holds the row of a command and its reply. How a limiter decides about a key is in
// package limiters, with the arithmetic in gcra and in the folders below limiters. ask.go is the
// way that all limiters of one key take.
//
// May use: the rules, and the counters of decisions.
//
// A command is one file, with its test beside it. A command that returns an error has written
// nothing. The package takes no locks: a command runs while the server holds the partitions of
// its keys.
package limits
