package server

import "cellserver/commands"

// The errors that tests compare.
const (
	ErrLoading    = errLoading
	ErrSaveFailed = errSaveFailed
)

// ErrLogFailed is the error of commands that need the log.
func ErrLogFailed(reason string) error { return errLogFailed(reason) }

// Panics is the number of commands that panicked.
func (s *Server) Panics() int64 { return s.stats.Totals.Panics.Load() }

// Followers is the number of clients that track keys or are monitors.
func (s *Server) Followers() int64 { return s.tracking.On() + s.monitors.Len() }

// Calls is the number of calls of a command.
func (s *Server) Calls(cmd *commands.Command) int64 { return s.stats.Commands.Of(cmd).Calls.Load() }

// LastArgs are the arguments that the client still keeps.
func (c *Client) LastArgs() [][]byte { return c.call.Args }

// Account counts a call as if it had run.
func (c *Client) Account(call *commands.Call) { c.countCall(call) }
