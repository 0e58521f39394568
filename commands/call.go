package commands

import (
	"slices"

	"cellserver/resp"
	"cellserver/store"
)

// Call is one command on its way: what Run gets. It is valid until Run returns.
type Call struct {
	Cmd    *Command
	Args   [][]byte     // Args[0] is the command's name; they alias the input buffer
	Now    int64        // logical time, Unix nanoseconds
	Tx     *store.Tx    // holds the locks of the command's keys; nil when it has none
	Out    *resp.Writer // the reply goes here
	Client *Client
	Server *Server

	// Secret are the positions of arguments that nobody else may see: MONITOR and
	// SLOWLOG show them as "(redacted)".
	Secret []int

	slept int64 // nanoseconds that it took before this try, which count as its own
}

// name is the command's full name, "" when there is no such command.
func (c *Call) name() string {
	if c.Cmd == nil {
		return ""
	}
	return c.Cmd.FullName()
}

// shown is argument i as MONITOR and SLOWLOG show it.
func (c *Call) shown(i int) []byte {
	if slices.Contains(c.Secret, i) {
		return []byte("(redacted)")
	}
	return c.Args[i]
}

// NowMillis is the logical time in Unix milliseconds.
func (c *Call) NowMillis() int64 { return c.Now / 1e6 }

// stringEntry checks that an entry is absent or a string.
func stringEntry(e *store.Entry) error {
	if e.Kind().IsCollection() {
		return errWrongType
	}
	return nil
}

// sortedEntry checks that an entry is absent or a sorted set.
func sortedEntry(e *store.Entry) error {
	if k := e.Kind(); k != store.None && k != store.Sorted {
		return errWrongType
	}
	return nil
}

// integer returns the integer that an absent (0) or string entry holds.
func integer(e *store.Entry) (int64, error) {
	if n, ok := e.Number(); ok {
		return n, nil
	}
	if e.Kind() == store.Raw {
		// A string that APPEND or SETRANGE made may read as an integer all the same.
		if n, ok := parseInt(e.Bytes(nil)); ok {
			return n, nil
		}
		return 0, errNotInteger
	}
	return 0, errWrongType
}
