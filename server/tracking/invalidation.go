package tracking

import (
	"slices"
	"strings"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/store"
)

// changed tells the readers of the key that an effect changed.
func (t *Table) changed(by *commands.Conn, effects []store.Effect, i int) {
	switch e := &effects[i]; e.Op {
	case store.OpFlush, store.OpSwapDB:
		// FLUSHALL is one effect a database, but one message. Redis sends no message for SWAPDB.
		// Caches know no databases, so after SWAPDB they must not keep the values of the other one.
		if i == 0 || effects[i-1].Op != e.Op {
			t.flushed(by)
		}
	default:
		t.changedKey(by, e.Key)
		if _, other, ok := e.Other(); ok {
			t.changedKey(by, other)
		}
	}
}

// changedKey tells the readers of a key that it changed, if there are any.
func (t *Table) changedKey(by *commands.Conn, name []byte) {
	if k := t.keys[string(name)]; k != nil {
		t.invalidate(by, k)
	}
}

// invalidate tells a key's readers that the key changed, and forgets the key.
func (t *Table) invalidate(by *commands.Conn, k *key) {
	t.forget(k)
	names := []string{k.name}
	for _, id := range k.readers {
		c := t.conns[id]
		if c == nil || c.Tracking.Bcast || c == by && c.Tracking.NoLoop {
			continue
		}
		t.tell(c, by, names)
	}
}

// flushed tells every client that every key may have changed.
func (t *Table) flushed(by *commands.Conn) {
	for _, c := range t.conns {
		t.tell(c, by, nil)
	}
	t.forgetAll()
}

// FlushedNothing implements [commands.Tracker].
func (t *Table) FlushedNothing(by *commands.Conn) {
	if t.on.Load() == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flushed(by)
}

// broadcast tells the clients in BCAST mode of the keys that a transaction changed, in one
// message for each of their prefixes.
func (t *Table) broadcast(by *commands.Conn, effects []store.Effect) {
	if len(t.prefixes) == 0 {
		return
	}
	names := changedNames(effects)
	for _, p := range t.prefixes {
		matching := withPrefix(names, p.Name)
		if len(matching) == 0 {
			continue
		}
		for _, c := range p.Conns {
			if c != by || !c.Tracking.NoLoop {
				t.tell(c, by, matching)
			}
		}
	}
}

// changedNames returns the names of the keys that effects changed, sorted.
func changedNames(effects []store.Effect) (names []string) {
	for i := range effects {
		e := &effects[i]
		if e.Op == store.OpFlush || e.Op == store.OpSwapDB {
			continue
		}
		names = append(names, string(e.Key))
		if _, other, ok := e.Other(); ok {
			names = append(names, string(other))
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// withPrefix returns the part of sorted names that begins with a prefix.
func withPrefix(sorted []string, prefix string) []string {
	from, _ := slices.BinarySearch(sorted, prefix)
	to := from
	for to < len(sorted) && strings.HasPrefix(sorted[to], prefix) {
		to++
	}
	return sorted[from:to]
}

// tell sends the names of changed keys to a client, or to the client to which it redirects. Nil
// stands for all keys. by is the client whose command runs.
func (t *Table) tell(c, by *commands.Conn, names []string) {
	to := c
	if c.Tracking.Redirect != 0 {
		if to = t.find(c.Tracking.Redirect); to == nil {
			redirectionBroke(c, by)
			return
		}
	}
	var w resp.Writer
	if !startMessage(to, &w, c.Tracking.Redirect != 0) {
		return
	}
	if names == nil {
		w.Null()
	} else {
		commands.StringArray(&w, names)
	}
	to.Push(by, w.Bytes())
}

// invalidationChannel is the channel of messages to RESP2 clients to which others redirect.
const invalidationChannel = "__redis__:invalidate"

// startMessage begins a message in the client's protocol. It returns false if the client cannot
// get the message.
func startMessage(to *commands.Conn, w *resp.Writer, redirected bool) bool {
	w.Proto = to.Link.Proto()
	if w.Proto == 3 {
		w.Push(2)
		w.BulkString("invalidate")
		return true
	}
	if redirected && to.Subs.Subscribed() {
		w.Array(3)
		w.BulkString("message")
		w.BulkString(invalidationChannel)
		return true
	}
	return false
}

// redirectionBroke tells a client that the client to redirect to is gone.
func redirectionBroke(c, by *commands.Conn) {
	c.Tracking.Broken.Store(true)
	if c.Link.Proto() != 3 {
		return
	}
	w := resp.Writer{Proto: 3}
	w.Push(2)
	w.BulkString("tracking-redir-broken")
	w.Int(c.Tracking.Redirect)
	c.Push(by, w.Bytes())
}
