// Package usage reads the usage line of a command, and returns its arguments as COMMAND DOCS
// describes them. The line "key [EX seconds | PERSIST]" has a key and an optional choice of two.
//
//	usage.go  Parse: from a line to a tree of arguments
//	names.go  what the line does not say: types by the words, and the names of groups
//
// The notation is that of Redis's documentation. A word in capitals is a token, which the client sends as it
// is. Any other word names a value. [a] is optional, and <a | b> is a choice. In "a [a ...]" the argument a
// repeats.
//
// Invariants: the package knows commands only by their names. A line has one tree.
//
// Locks: none. Nothing here changes after the start.
package usage
