package sidecar

import (
	"errors"

	"cellserver/router"
)

// relayed is the sink of a command that the hub answers.
type relayed struct {
	*slot
	// follow reads the pieces of the reply as long as it wants more. It gets nil if the reply is lost, and
	// the hub may have run the command. It is nil for most commands.
	follow func(reply []byte) (more bool)
	alone  bool // the connection is that of the client: its replies wait for a client that does not read
}

// Reply implements [router.Sink].
func (r *relayed) Reply(p []byte, end bool) {
	if r.follow != nil && !r.follow(p) {
		r.follow = nil
	}
	if r.write(p, end); r.alone {
		r.order.slow()
	}
}

// Lost implements [router.Sink].
func (r *relayed) Lost(err error) {
	if r.follow != nil && !errors.As(err, &router.Unsent{}) {
		r.follow(nil)
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

// lossText is the error of a command that the hub does not answer.
func lossText(err error) string {
	if no, is := errors.AsType[router.Refusal](err); is {
		return no.Error()
	}
	outcome := "the command may have run"
	if errors.As(err, &router.Unsent{}) {
		outcome = "the command has not run"
	}
	return "NOHUB the hub does not answer (" + err.Error() + "): " + outcome + "; look at the hub"
}
