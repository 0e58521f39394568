package encoding

import (
	"errors"
	"fmt"
	"io"
)

// Error is a fault of the input: its place, the expected input and the actual input. If the input
// ended early, Error wraps io.ErrUnexpectedEOF. If the input could not be read, Error wraps the
// error of the io.Reader.
type Error struct {
	Offset   int64 // in bytes from the beginning of the file or payload
	Expected string
	Found    string
	cause    error
}

// Error returns all fields in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("rdb: at byte %d: expected %s, found %s", e.Offset, e.Expected, e.Found)
}

// Unwrap returns why the input could not be read, or nil if it could.
func (e *Error) Unwrap() error { return e.cause }

// Errorf returns an [Error] at an offset. found is a format for args.
func Errorf(offset int64, expected, found string, args ...any) error {
	return &Error{Offset: offset, Expected: expected, Found: fmt.Sprintf(found, args...)}
}

// missing returns the error of n bytes from an offset on, of which only got are there.
func missing(offset int64, n uint64, got int, what string, err error) error {
	expected := fmt.Sprintf("%s (%d bytes)", what, n)
	if errors.Is(err, io.EOF) {
		return &Error{offset, expected, fmt.Sprintf("the end after %d", got), io.ErrUnexpectedEOF}
	}
	return &Error{offset, expected, "a read error: " + err.Error(), err}
}
