package replica

import (
	"context"
	"io"
)

// Target is the server that follows. One goroutine calls its methods.
type Target interface {
	// Replace replaces the keys by a copy: the bytes of an RDB file. It reads the file to its end, and
	// returns when the copy is safe. After an error the keys are as they were, or another copy must come. It
	// calls loaded from time to time with the number of keys. The commands after the copy begin at a
	// position, and Replace sets its database if the copy says it.
	Replace(ctx context.Context, in io.Reader, at *Position, loaded func(keys int64)) error
	// Begin drops a transaction that an earlier session left open, and selects a database.
	Begin(db int)
	// Apply runs a command of the stream, which ends at a position. The arguments are valid until it returns.
	Apply(ctx context.Context, args [][]byte, at Position) error
	// Rest is called when no further command has arrived yet, and after many bytes. It reports whether all
	// that has run is safe.
	Rest() (safe bool)
	// DB returns the selected database.
	DB() int
}

// Stop is an error after which the link does not try again: a person has to decide.
type Stop struct{ Reason error }

// Error returns the text of the reason.
func (s *Stop) Error() string { return s.Reason.Error() }

// Unwrap returns the reason.
func (s *Stop) Unwrap() error { return s.Reason }
