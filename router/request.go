package router

import (
	"cellserver/internal/decimal"
)

// Sink gets the reply of a request. A goroutine of the hub calls it, so it must not block.
type Sink interface {
	// Reply gets the next piece of the reply; end says that it is the last one. The bytes are valid until
	// Reply returns. A number comes in one piece, and so does an error of at most 64 KB.
	Reply(p []byte, end bool)
	// Lost says that there will be no reply, or no more of it. The command may have run.
	Lost(err error)
}

// Whole returns a Sink that calls done once, with a reply or an error. It keeps the first 64 KB of a reply.
func Whole(done func(reply []byte, err error)) Sink { return &whole{done: done} }

type whole struct {
	done func(reply []byte, err error)
	text []byte
}

// Reply implements [Sink].
func (w *whole) Reply(p []byte, end bool) {
	if len(w.text) < longestHeader {
		w.text = append(w.text, p...)
	}
	if end {
		w.done(w.text, nil)
	}
}

// Lost implements [Sink].
func (w *whole) Lost(err error) { w.done(nil, err) }

// Request is a command on its way. Its sender does not use it until its end.
type Request struct {
	Command []byte // in RESP
	Sink    Sink

	moved bool // a node has answered MOVED before
	begun bool // the sink has a piece of the reply
}

// AppendCommand appends a command in RESP.
func AppendCommand[T string | []byte](dst []byte, words ...T) []byte {
	dst = AppendHeader(dst, '*', len(words))
	for _, w := range words {
		dst = AppendWord(dst, w)
	}
	return dst
}

// AppendHeader appends the first line of an array or of a string.
func AppendHeader(dst []byte, kind byte, n int) []byte {
	return append(decimal.Append(append(dst, kind), int64(n)), '\r', '\n')
}

// AppendWord appends one word of a command.
func AppendWord[T string | []byte](dst []byte, w T) []byte {
	dst = AppendHeader(dst, '$', len(w))
	return append(append(dst, w...), '\r', '\n')
}
