// Package scripts runs the scripts of EVAL. It keeps their texts, and the engines that run them.
//
//	scripts.go  Scripts: the scripts that the server knows, and the engines
//	library.go  the texts, by SHA-1, and which of them are new for another node
//	run.go      one run, from EVAL to its reply
//	caller.go   the commands that a script calls
//	checks.go   which commands a script may call
//	share.go    the memory that all scripts share
//	memory.go   what a script has passed to commands, until its transaction ends
//	calls.go    Calls: what the server counts at the end of a script
//	once.go     what a script does outside the store: once, even if it begins again
//	long.go     scripts that take long: their list, and SCRIPT KILL
//	turns.go    their turns, and their end after their client has left
//
// Invariants: an engine serves one run at a time. A command gets copies of what it may keep until the
// transaction ends. A script leaves the database of its client as it was. One of the scripts that take long
// has the turn, and the others wait; a script waits for nothing else.
//
// Bounds: the library takes at most 32 MiB, and has at most 4,096 scripts of EVAL. At most 128 engines run
// at a time, and 64 of their scripts take long. Together they make at most script-memory-limit bytes, and
// 128 KiB more each. They log 50 lines at once, and then one a second, of 1,024 bytes.
//
// Locks: library.mu, engines.mu and long.mu are innermost locks. A script waits for its turn while it holds
// its partitions.
package scripts
