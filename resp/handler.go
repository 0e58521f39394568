package resp

import "math"

// Status says what a session does after a command, or after a batch.
type Status int

const (
	// Continue: the command is done. From a [Session]: it needs more bytes.
	Continue Status = iota
	// Close: no further command runs. Send the output, then close the connection.
	Close
	// Retry: the command did not run. Send the output, and call [Session.Resume] after Handler.RetryAfter,
	// or once what the command waits for has happened.
	Retry
	// Flush: the command is done, and the batch ends: it has taken long, or its output has reached 1 MiB.
	// Send the output, then call [Session.Resume] at once, on a goroutine that serves no other client.
	Flush
	// Offload: the command did not run, because it may take long. Send the output, and call
	// [Session.Resume] on a goroutine that serves no other client. A handler returns Offload at most once
	// for a command. A [Session] returns it only after SetMayOffload(true).
	Offload
)

// NoTime is the duration in nanoseconds that never ends.
const NoTime = math.MaxInt64

// Handler runs the commands of one session. The goroutine that drives the session calls the methods,
// one at a time.
type Handler interface {
	// Prefetch announces a command that Handle will get later in the batch. The session announces at most
	// the next three commands, each once, in their order. The bytes of args do not move before End. Prefetch
	// must not change anything: it only asks for data to be loaded into the processor's cache.
	Prefetch(args [][]byte)
	// Handle runs one command and writes its reply. The first one begins a batch: the commands between two
	// reads share one reading of the clock. There is at least one argument. args alias the input buffer and
	// are valid until Handle returns. After Retry or Offload the session removes everything that Handle
	// wrote.
	Handle(args [][]byte, w *Writer) Status
	// End ends the batch, before its output is sent. It returns the position for which the output waits: no
	// byte leaves before everything up to this position is safe. The position is 0 if the output waits for
	// nothing.
	End() (need uint64)
	// MessageNeed is the position for a message that is pushed to the client. The message may report any
	// change so far. Any goroutine may call it, while it holds any lock.
	MessageNeed() uint64
	// OutputLimit returns how many bytes a transport may keep for the client until it closes the connection;
	// 0 is no limit. Any goroutine may call it, while it holds any lock.
	OutputLimit() int
	// RetryAfter returns in how many nanoseconds the command that returned Retry is to run again; [NoTime] if
	// no time ends its wait.
	RetryAfter() int64
	// Limits returns the bounds of the next request. The session asks when it parses the first byte.
	Limits() Limits
	// Failed reports why the session closes. The reason is a [ProtocolError] with a nil stack, or the value
	// of a panic in Handle or End with its stack. The session has removed the output of the
	// failed command.
	Failed(reason any, stack []byte)
	// Closed reports that the connection is closed. It is the last call.
	Closed()
}
