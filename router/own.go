package router

import "sync/atomic"

// Own is a connection of one client: its transactions, its database and its subscriptions are those of the
// client alone. It ends when another node leads, and never opens again: its client connects again, and never
// sees MOVED.
type Own struct {
	link     *link
	client   string // its name
	messages Sink
	wake     func()
	raw      atomic.Bool // see Stream
	full     atomic.Bool // Write has refused
}

// mostStreamed bounds the bytes that wait to be written while the connection streams.
const mostStreamed = 1 << 20

// Own opens a connection for one client. Messages between the replies go to `messages`, and so does its end:
// with [Unsent] it has not opened. [Own.Write] says what `wake` is for.
func (u *User) Own(proto int, name string, messages Sink, wake func()) *Own {
	u.hub.mu.Lock()
	leader := u.hub.leader
	u.hub.mu.Unlock()
	o := &Own{client: name, messages: messages, wake: wake}
	o.link = u.start(leader.led, place{leader.node, track{proto, FirstRelay}}, o)
	return o
}

// Send sends a request, and returns at once.
func (o *Own) Send(r *Request) {
	if err := o.link.send(r, true); err != nil {
		r.Sink.Lost(unsent(err))
	}
}

// Stream makes all further bytes of the hub messages. No reply may be outstanding. From then on, commands go
// over Write.
func (o *Own) Stream() { o.raw.Store(true) }

// Write sends a command to which any number of replies may come. It returns false if too much waits to be
// written. Then `wake` is called as soon as that has changed.
func (o *Own) Write(command []byte) (ok bool, err error) {
	o.link.mu.Lock()
	defer o.link.mu.Unlock()
	if o.link.err != nil {
		return false, unsent(o.link.err)
	}
	if len(o.link.out) > mostStreamed {
		o.full.Store(true)
		return false, nil
	}
	o.link.put(command)
	return true, nil
}

// Close ends the connection.
func (o *Own) Close() { o.link.stop(errClosed) }

// name returns the name of the client; "" for a link that clients share.
func (o *Own) name() string {
	if o == nil {
		return ""
	}
	return o.client
}

// streams reports whether the bytes of the hub are messages. On a link that clients share, they never are.
func (o *Own) streams() bool { return o != nil && o.raw.Load() }

// written notes that the link has written what waited.
func (o *Own) written() {
	if o != nil && o.full.Swap(false) {
		o.wake()
	}
}
