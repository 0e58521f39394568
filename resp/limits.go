package resp

// Limits bound one request. A zero field stands for Redis's default. Requests of up to nine arguments
// of up to 999 bytes are within all limits.
type Limits struct {
	// MaxBulk is the longest argument, in bytes (proto-max-bulk-len; 512 MiB).
	MaxBulk int64
	// MaxArgs is the largest number of arguments (1,048,576).
	MaxArgs int
	// MaxInline is the longest inline command, and the longest header line, in bytes (64 KiB).
	MaxInline int
	// MaxBuffer is how many bytes an incomplete request may hold (client-query-buffer-limit; 1 GiB).
	MaxBuffer int64
	// Unauthenticated narrows a request to 10 arguments of 16,384 bytes, as Redis does before AUTH,
	// with errors that say so.
	Unauthenticated bool
}

const (
	defaultMaxBulk   = 512 << 20
	defaultMaxArgs   = 1 << 20
	defaultMaxInline = 64 << 10
	defaultMaxBuffer = 1 << 30

	unauthenticatedArgs = 10
	unauthenticatedBulk = 16384
)

// orDefault fills the fields left zero.
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

// ProtocolError is a request that is no RESP, or beyond its [Limits]. The client gets it as an
// error reply behind "ERR ", and its connection is closed.
type ProtocolError string

// Error is the text that the client reads.
func (e ProtocolError) Error() string { return string(e) }

// ErrBufferLimit means that an incomplete request outgrew [Limits.MaxBuffer]. As in Redis, the
// connection is closed without a reply.
const ErrBufferLimit ProtocolError = "query buffer limit reached"

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

// errNoBulk is the error for an argument that starts with got instead of '$'. A line break shows
// as a space, as in every error reply.
func errNoBulk(got byte) ProtocolError {
	if got == '\r' || got == '\n' {
		got = ' '
	}
	return ProtocolError("Protocol error: expected '$', got '" + string([]byte{got}) + "'")
}
