package blocked

import (
	"container/list"
	"sync"
	"sync/atomic"

	"cellserver/commands"
)

// Table holds the clients that wait for keys. It implements [commands.KeyWaiters].
type Table struct {
	mark    func() uint64 // of the transport's Barrier
	present atomic.Int64  // clients

	mu      sync.Mutex           // guards the rest
	queues  map[Place]*list.List // of *Waiter, in the order of arrival
	clients map[int64]*Waiter    // by the id of the connection, also claimed ones
}

// Waiter is a client that waits.
type Waiter struct {
	Cmd   *commands.Command
	DB    int
	Proto int                       // RESP version
	Words func(key []byte) [][]byte // see [commands.KeyWait]

	conn  *commands.Conn
	by    commands.Identity // of conn, which belongs to another goroutine
	mark  uint64            // as it came to wait, and then as it was served
	turns []turn
	state State
	reply []byte
}

// turn is the place of a client in one queue.
type turn struct {
	place Place
	at    *list.Element
}

// State is how far a client is that came to wait.
type State uint8

// The states of a client.
const (
	Absent  State = iota // it does not wait for keys
	Queued               // nobody has served it yet
	Claimed              // somebody serves it
	Served               // its reply is there
	Over                 // the mark has changed, or the client has left: its connection ends
)

// New returns a table in which nobody waits. mark is that of the transport's Barrier. It changes if what was
// given to a client may be lost, and at the beginning and the end of an epoch.
func New(mark func() uint64) *Table {
	return &Table{mark: mark, queues: map[Place]*list.List{}, clients: map[int64]*Waiter{}}
}

// Await implements [commands.KeyWaiters].
func (t *Table) Await(c *commands.Call, k commands.KeyWait) {
	w := &Waiter{
		Cmd: c.Cmd, DB: c.Tx.DB(), Proto: c.Out.Proto, Words: k.Words, conn: c.Conn, state: Queued,
		by: c.Conn.Identity, mark: t.mark(),
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, key := range k.Keys {
		p := Place{w.DB, k.Kind, string(key)}
		q := t.queues[p]
		if q == nil {
			q = list.New()
			t.queues[p] = q
		}
		if last := q.Back(); last == nil || last.Value != w { // a key may be named twice
			w.turns = append(w.turns, turn{p, q.PushBack(w)})
		}
	}
	t.clients[c.Conn.ID] = w
	t.present.Store(int64(len(t.clients)))
}

// First returns the client that has waited longest for a place; nil for none.
func (t *Table) First(p Place) *Waiter {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q := t.queues[p]; q != nil {
		return q.Front().Value.(*Waiter)
	}
	return nil
}

// claim takes a client out of its queues to serve it. It returns false if another one has claimed the
// client, or if the client has left. The caller holds partitions, so no epoch ends meanwhile.
func (t *Table) claim(w *Waiter) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if w.state != Queued {
		return false
	}
	t.dequeue(w)
	w.state, w.mark = Claimed, t.mark()
	return true
}

// serve gives a claimed client its reply, and wakes it. Without a reply it closes the connection.
func (t *Table) serve(w *Waiter, reply []byte, replied bool) {
	if !replied {
		w.conn.Link.Peer.Close()
		return
	}
	t.mu.Lock()
	w.state, w.reply = Served, reply
	t.mu.Unlock()
	w.conn.Link.Peer.Wake()
}

// Outcome returns how far a client is. A client whose reply is there leaves the table.
func (t *Table) Outcome(id int64) (State, []byte) {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.clients[id]
	switch {
	case w == nil:
		return Absent, nil
	case w.state == Served && w.mark != t.mark():
		return Over, nil // what the client was given may be lost
	case w.state == Served:
		t.remove(id)
	}
	return w.state, w.reply
}

// Leave ends the wait of a client. It returns false if somebody has claimed the client: its reply comes.
func (t *Table) Leave(id int64) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	w := t.clients[id]
	if w == nil {
		return true
	}
	if w.state != Queued {
		return false
	}
	t.dequeue(w)
	w.state = Absent
	t.remove(id)
	return true
}

// EndWaits ends the connections of the clients that came to wait, or were served, in an epoch that has ended.
// So each of them asks the node that leads now.
func (t *Table) EndWaits() {
	t.mu.Lock()
	now := t.mark()
	var over []commands.Peer
	for _, w := range t.clients {
		if w.mark == now {
			continue
		}
		t.end(w)
		over = append(over, w.conn.Link.Peer)
	}
	t.mu.Unlock()
	for _, p := range over {
		p.Close()
	}
}

// endWait ends the wait of a client that has left. Its connection ends soon.
func (t *Table) endWait(w *Waiter) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.end(w)
}

// end ends the wait of a client that nobody has served, with its connection; mu is held.
func (t *Table) end(w *Waiter) {
	if w.state == Queued {
		t.dequeue(w)
		w.state = Over
	}
}

// Forget removes a client that is gone, whatever it waits for.
func (t *Table) Forget(id int64) {
	if !t.Leave(id) {
		t.mu.Lock()
		t.remove(id)
		t.mu.Unlock()
	}
}

// Any reports whether a client waits, or has been served and has not left yet.
func (t *Table) Any() bool { return t.present.Load() > 0 }

// remove removes a client that is in no queue; mu is held.
func (t *Table) remove(id int64) {
	delete(t.clients, id)
	t.present.Store(int64(len(t.clients)))
}

// dequeue removes a client from its queues; mu is held.
func (t *Table) dequeue(w *Waiter) {
	for _, turn := range w.turns {
		q := t.queues[turn.place]
		q.Remove(turn.at)
		if q.Len() == 0 {
			delete(t.queues, turn.place)
		}
	}
	w.turns = nil
}
