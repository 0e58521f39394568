package resp

import "math"

// Limits bound one request. A zero field stands for Redis's default. A request of up to nine arguments
// of up to 999 bytes is within all limits.
type Limits struct {
	// MaxBulk is the longest argument, in bytes (proto-max-bulk-len; default 512 MiB).
	MaxBulk int64
	// MaxArgs is the largest number of arguments (default 2,147,483,647).
	MaxArgs int
	// MaxInline is the longest inline command, and the longest header line, in bytes (default 64 KiB).
	MaxInline int
	// MaxBuffer is the most bytes that an incomplete request may hold, its bookkeeping included
	// (client-query-buffer-limit; default 1 GiB).
	MaxBuffer int64
	// Unauthenticated allows only 10 arguments of 16,384 bytes. Redis sets the same bounds before AUTH,
	// and reports them with errors of their own.
	Unauthenticated bool
}

const (
	defaultMaxBulk   = 512 << 20
	defaultMaxArgs   = math.MaxInt32
	defaultMaxInline = 64 << 10
	defaultMaxBuffer = 1 << 30

	unauthenticatedArgs = 10
	unauthenticatedBulk = 16384
)

// orDefault replaces each zero field by its default.
func (l Limits) orDefault() Limits {
	if l.MaxBulk == 0 {
		l.MaxBulk = defaultMaxBulk
	}
	if l.MaxArgs == 0 {
		l.MaxArgs = defaultMaxArgs
	}
	if l.MaxInline == 0 {
		l.MaxInline = defaultMaxInline
	}
	if l.MaxBuffer == 0 {
		l.MaxBuffer = defaultMaxBuffer
	}
	return l
}

// ProtocolError says that a request is not valid RESP, or exceeds its [Limits]. The session sends it as an
// error reply after "ERR ", and closes.
type ProtocolError string

// Error returns the text that the client reads.
func (e ProtocolError) Error() string { return string(e) }

// ErrBufferLimit says that an incomplete request exceeds [Limits.MaxBuffer]. The session closes without a
// reply, as Redis does.
const ErrBufferLimit ProtocolError = "query buffer limit reached"

// ErrOutputLimit says that the replies exceed the limit of [Session.LimitOutput]. The session closes without
// a reply, as Redis does.
const ErrOutputLimit ProtocolError = "output buffer limit reached"

// The texts are those of Redis 7.0.
const (
	errInlineTooBig     ProtocolError = "Protocol error: too big inline request"
	errUnbalancedQuotes ProtocolError = "Protocol error: unbalanced quotes in request"
	errArgsLineTooBig   ProtocolError = "Protocol error: too big mbulk count string"
	errArgs             ProtocolError = "Protocol error: invalid multibulk length"
	errArgsUnauth       ProtocolError = "Protocol error: unauthenticated multibulk length"
	errBulkLineTooBig   ProtocolError = "Protocol error: too big bulk count string"
	errBulk             ProtocolError = "Protocol error: invalid bulk length"
	errBulkUnauth       ProtocolError = "Protocol error: unauthenticated bulk length"
)

// errNoBulk is the error for an argument that starts with got instead of '$'. A line break inside an
// error reply becomes a space.
func errNoBulk(got byte) ProtocolError {
	if got == '\r' || got == '\n' {
		got = ' '
	}
	return ProtocolError("Protocol error: expected '$', got '" + string([]byte{got}) + "'")
}
