// Package servertest runs commands in tests: a whole server without sockets and files, whose
// clock stands still until the test moves it.
//
// It registers no commands. A test imports the families that it calls, or commands/all.
//
// Only tests import it. A Harness is for one goroutine, unless its clients listen on a port.
package servertest
