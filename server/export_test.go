package server

import "cellserver/commands"

// Errors that tests compare.
const (
	ErrLoading    = errLoading
	ErrSaveFailed = errSaveFailed
)

// ErrLogFailed is the error of commands that need the log.
func ErrLogFailed(reason string) error { return errLogFailed(reason) }

// Panics returns the number of commands that panicked.
func (s *Server) Panics() int64 { return s.stats.Totals.Panics.Load() }

// Followers returns the number of clients that track keys or are monitors.
func (s *Server) Followers() int64 { return s.tracking.On() + s.monitors.Len() }

// Calls returns the number of calls of a command.
func (s *Server) Calls(cmd *commands.Command) int64 { return s.stats.Commands.Of(cmd).Calls.Load() }

// LastArgs returns the arguments that the client still references.
func (c *Client) LastArgs() [][]byte { return c.call.Args }

// CountCall counts a call that has run.
func (c *Client) CountCall(call *commands.Call) { c.countCall(call) }

// Join joins n calls to the group of a command, after a call that took some nanoseconds alone.
func (c *Client) Join(cmd *commands.Command, alone, n int64) {
	t := &c.timing
	t.groups[1], t.groups[0] = t.groups[0], group{cmd: cmd, alone: alone}
	c.joinsGroup(cmd).n += n
	t.n += n
}

// CountGroups counts the calls of all groups.
func (c *Client) CountGroups() { c.countGroups() }
