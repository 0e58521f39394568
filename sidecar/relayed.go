package sidecar

import (
	"errors"

	"cellserver/router"
)

// relayed is the sink of a command that the hub answers.
type relayed struct {
	*slot
	then func(ok bool) // runs once, as soon as the hub may have run the command; nil for most commands
}

// Reply implements [router.Sink].
func (r *relayed) Reply(p []byte, end bool) {
	if then := r.then; then != nil {
		r.then = nil
		then(p[0] != '-' && p[0] != '_' && string(p) != "*-1\r\n") // an error, or EXEC has run nothing
	}
	r.write(p, end)
}

// Lost implements [router.Sink].
func (r *relayed) Lost(err error) {
	if r.then != nil {
		r.then(false)
	}
	r.order.mu.Lock()
	begun := r.begun
	r.order.mu.Unlock()
	if begun {
		r.order.peer.Close() // the rest of the reply does not come
		return
	}
	r.write(errorReply(lossText(err)), true)
}

// errorReply returns an error reply.
func errorReply(text string) []byte { return []byte("-" + text + "\r\n") }

// owned is the sink of a reply on a client's own connection.
type owned struct{ relayed }

// Reply implements [router.Sink].
func (r *owned) Reply(p []byte, end bool) {
	r.relayed.Reply(p, end)
	r.order.slow()
}

// lossText is the error of a command that the hub does not answer.
func lossText(err error) string {
	var no router.Refusal
	if errors.As(err, &no) {
		return no.Error()
	}
	outcome := "the command may have run"
	if errors.As(err, &router.Unsent{}) {
		outcome = "the command has not run"
	}
	return "NOHUB the hub does not answer (" + err.Error() + "): " + outcome + "; look at the hub"
}
