package rdb

import (
	"errors"
	"fmt"
	"io"
)

// Error is a fault of the input: where it is, what was expected there and what was found
// instead. Input that ends early, or cannot be read, wraps the cause; the former is
// io.ErrUnexpectedEOF.
type Error struct {
	Offset   int64 // in bytes from the beginning of the file or payload
	Expected string
	Found    string
	cause    error
}

// Error says all of it in one line.
func (e *Error) Error() string {
	return fmt.Sprintf("rdb: at byte %d: expected %s, found %s", e.Offset, e.Expected, e.Found)
}

// Unwrap returns why the input could not be read, nil when it could.
func (e *Error) Unwrap() error { return e.cause }

// source is what is decoded: a stream behind a buffer, or bytes that are all there. It
// keeps the checksum of what has been taken from it.
type source struct {
	in     io.Reader // nil: buf is all there is
	buf    []byte
	at     int    // the next byte in buf
	base   int64  // the offset of buf[0]
	crc    uint64 // of everything before buf[summed]
	summed int

	long   []byte // scratch: bytes that do not fit into buf
	plain  []byte // scratch: what was compressed
	digits []byte // scratch: an integer as a string
}

func (s *source) offset() int64 { return s.base + int64(s.at) }

// take returns the next n bytes. They hold until more is taken.
func (s *source) take(n uint64, what string) ([]byte, error) {
	if rest := s.buf[s.at:]; n <= uint64(len(rest)) {
		s.at += int(n)
		return rest[:n], nil
	}
	return s.takeMore(n, what)
}

// takeMore returns bytes that are not in the buffer yet. The memory it needs grows with
// what arrives, whatever n claims.
func (s *source) takeMore(n uint64, what string) ([]byte, error) {
	from := s.offset()
	for n <= uint64(cap(s.buf)) {
		if err := s.fill(); err != nil {
			return nil, short(from, n, len(s.buf)-s.at, what, err)
		}
		if n <= uint64(len(s.buf)-s.at) {
			return s.take(n, what)
		}
	}
	s.long = s.long[:0]
	for uint64(len(s.long)) < n {
		if s.at == len(s.buf) {
			if err := s.fill(); err != nil {
				return nil, short(from, n, len(s.long), what, err)
			}
		}
		part := s.buf[s.at:]
		part = part[:min(uint64(len(part)), n-uint64(len(s.long)))]
		s.long = append(s.long, part...)
		s.at += len(part)
	}
	return s.long, nil
}

// fill reads more, behind what has not been taken yet.
func (s *source) fill() error {
	if s.in == nil {
		return io.EOF
	}
	s.sum()
	s.base += int64(s.at)
	rest := copy(s.buf, s.buf[s.at:])
	s.at, s.summed = 0, 0
	n, err := io.ReadAtLeast(s.in, s.buf[rest:cap(s.buf)], 1)
	s.buf = s.buf[:rest+n]
	if n > 0 {
		return nil
	}
	return err
}

// sum brings the checksum up to what has been taken.
func (s *source) sum() uint64 {
	s.crc = checksum(s.crc, s.buf[s.summed:s.at])
	s.summed = s.at
	return s.crc
}

// short is the error of n bytes from an offset on, of which only got are there.
func short(from int64, n uint64, got int, what string, err error) error {
	expected := fmt.Sprintf("%s (%d bytes)", what, n)
	if errors.Is(err, io.EOF) {
		return &Error{from, expected, fmt.Sprintf("the end after %d", got), io.ErrUnexpectedEOF}
	}
	return &Error{from, expected, "that it cannot be read: " + err.Error(), err}
}

// fault is an error at an offset.
func fault(at int64, expected, found string, args ...any) error {
	return &Error{Offset: at, Expected: expected, Found: fmt.Sprintf(found, args...)}
}

func (s *source) byte(what string) (byte, error) {
	if s.at < len(s.buf) {
		s.at++
		return s.buf[s.at-1], nil
	}
	return s.byteMore(what)
}

// byteMore returns the next byte, which is not in the buffer yet.
func (s *source) byteMore(what string) (byte, error) {
	b, err := s.takeMore(1, what)
	if err != nil {
		return 0, err
	}
	return b[0], nil
}
