// Package scripts runs the scripts of EVAL. It keeps their texts, and the engines that run them.
//
//	scripts.go  Scripts: the scripts that the server knows, and the engines
//	library.go  the texts, by SHA-1
//	run.go      one run, from EVAL to its reply
//	caller.go   the commands that a script calls
//	checks.go   which commands a script may call
//	share.go    the memory that all scripts share
//	memory.go   what a script has passed to commands, until its transaction ends
//	calls.go    Calls: what the server counts at the end of a script
//	once.go     what a script does outside the store: once, even if it begins again
//	long.go     scripts that take long, and SCRIPT KILL
//	reply.go    replies of commands as values, and values as replies
//
// Invariants: an engine serves one run at a time. A command gets copies of what it may keep until the
// transaction ends. A script leaves the database of its client as it was.
//
// Bounds: the library has at most 4,096 scripts and 32 MiB of texts. At most 64 engines run at a time.
// Together they make at most script-memory-limit bytes, and 1 MiB more each.
//
// Locks: library.mu and engines.mu are innermost locks.
package scripts
