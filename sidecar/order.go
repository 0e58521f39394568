package sidecar

import (
	"sync"
	"sync/atomic"
	"time"

	"cellserver/commands"
)

// order keeps the replies of a client in the order of its commands. A reply that is there at once goes to the
// writer of the batch. Each other reply has a slot, and leaves as a message of the client.
type order struct {
	peer  commands.Peer
	state atomic.Bool // there is a slot, or a message may wait to be sent

	mu     sync.Mutex // guards the fields below
	slots  []*slot
	bytes  int  // of replies that wait for others
	asked  int  // bytes of commands without a reply
	window int  // how many replies may be outstanding, beyond firstSlots
	wakes  bool // the client waits until few slots are left
	atMost int  // so many
	closed bool
}

// slot is the place of one reply.
type slot struct {
	order *order
	asked int    // bytes of the command
	got   int    // bytes of the reply
	text  []byte // waits for earlier replies
	begun bool   // a piece of the reply is there
	done  bool
}

// Bounds of what waits for one client.
const (
	mostSlots   = 1024
	firstSlots  = 32       // as many at first, and one more with each short reply
	longReply   = 16 << 10 // bytes; after such a reply half as many
	mostAsked   = 1 << 20  // bytes of commands
	mostReplies = 64 << 20 // bytes of replies
)

// clear reports whether every earlier reply has left, or is in the writer of the batch.
func (o *order) clear() bool {
	if !o.state.Load() {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.slots) > 0 || o.peer.Pending() > 0 {
		return false
	}
	o.state.Store(false)
	return true
}

// wait reports whether at most n replies are outstanding. Otherwise it wakes the client as soon as that is
// so.
func (o *order) wait(n int) bool {
	if !o.state.Load() {
		return true
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.wakes = len(o.slots) > n || o.asked > mostAsked; o.wakes {
		o.atMost = n / 2
	}
	return !o.wakes
}

// room reports whether the client may send a further command. A client with long replies has few of them
// outstanding, because others wait behind these on a connection to the hub.
func (o *order) room() bool {
	if !o.state.Load() {
		return true
	}
	o.mu.Lock()
	n := firstSlots + o.window
	o.mu.Unlock()
	return o.wait(n - 1)
}

// learn adapts the window to the length of a reply; mu is held.
func (o *order) learn(length int) {
	n := firstSlots + o.window
	if n = min(n+1, mostSlots); length >= longReply {
		n = max(1, n/2)
	}
	o.window = n - firstSlots
}

// add makes the place of the reply to a command of so many bytes.
func (o *order) add(asked int) *slot {
	s := &slot{order: o, asked: asked}
	o.mu.Lock()
	o.asked += asked
	o.slots = append(o.slots, s)
	o.state.Store(true)
	o.mu.Unlock()
	return s
}

// gone reports whether the client has left.
func (o *order) gone() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.closed
}

// write adds a piece of the reply, which may be the last one. Later pieces are ignored.
func (s *slot) write(p []byte, end bool) {
	o := s.order
	o.mu.Lock()
	defer o.mu.Unlock()
	if s.done || o.closed {
		return
	}
	s.begun = true
	if s.got += len(p); end {
		o.learn(s.got)
	}
	if o.slots[0] != s {
		s.text = append(s.text, p...)
		if o.bytes += len(p); o.bytes > mostReplies {
			o.peer.Close()
		}
		s.done = end
		return
	}
	if len(p) > 0 {
		o.peer.Push(p)
	}
	if s.done = end; end {
		o.flush()
	}
}

// flush sends the replies behind the first one, up to one that is not complete; mu is held.
func (o *order) flush() {
	n := 1
	for o.asked -= o.slots[0].asked; n < len(o.slots); n++ {
		next := o.slots[n]
		if len(next.text) > 0 {
			o.bytes -= len(next.text)
			o.peer.Push(next.text)
			next.text = nil
		}
		if !next.done {
			break
		}
		o.asked -= next.asked
	}
	clear(o.slots[:n])
	if o.slots = o.slots[n:]; len(o.slots) == 0 {
		o.slots = nil
	}
	if o.wakes && len(o.slots) <= o.atMost && o.asked <= mostAsked {
		o.wakes = false
		o.peer.Wake()
	}
}

// close drops all replies.
func (o *order) close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.closed, o.slots = true, nil
}

// Bounds of a client that does not read its replies.
const (
	mostUnread = 1 << 20              // bytes; with more, its own connection is not read
	slowReader = 2 * time.Millisecond // so long it is not asked again
)

// push sends a message to the client, and waits for a client that does not read.
func (o *order) push(p []byte) {
	if len(p) > 0 {
		o.peer.Push(p)
		o.slow()
	}
}

// slow waits while much waits for the client. Only a connection that nobody shares may wait.
func (o *order) slow() {
	for o.peer.Pending() > mostUnread && !o.gone() {
		time.Sleep(slowReader)
	}
}
