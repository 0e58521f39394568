// Package line carries commands to the server from inside the process. A line is a connection without a
// socket.
//
//	lines.go  Lines: the lines that are open; Ask sends a command or a question over one of them
//	line.go   one line: what a transport and a session would be to a client of the server
//
// A line takes the way of every other client: the same checks, locks, statistics, slow log and redirections.
// Its reply waits for the log as the reply of a socket does. A command that waits for CLIENT PAUSE waits
// here, too.
//
// A question about rules has no reply. The command fills its answer in, and spells no text. The words of the
// question go with it, because rights, MONITOR and the slow log read words.
//
// A line runs one command at a time. A caller keeps it while the command runs, and gives it back before it
// waits for the log. So a few lines are enough for many callers.
//
// Invariants: a line is open for the server from the first command until Close. A line whose command did not
// end is never used again.
//
// Locks: none. A channel holds the free lines.
package line
