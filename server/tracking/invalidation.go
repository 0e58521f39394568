package tracking

import (
	"slices"
	"strings"

	"cellserver/commands"
	"cellserver/resp"
	"cellserver/server/listeners"
	"cellserver/store"
)

// invalidateChanged sends messages to the readers of the key that effect i changed.
func (t *Table) invalidateChanged(by *commands.Conn, effects []store.Effect, i int) {
	e := &effects[i]
	if e.DB == store.Own {
		return // no client reads it
	}
	switch e.Op {
	case store.OpFlush, store.OpSwapDB:
		// FLUSHALL has one effect for each database, but one message. After SWAPDB caches must drop all
		// values, because they do not know databases. Redis sends no message for SWAPDB.
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

// changedKey sends a message to the readers of a changed key, if there are any.
func (t *Table) changedKey(by *commands.Conn, name []byte) {
	if k := t.keys[string(name)]; k != nil {
		t.invalidate(by, k)
	}
}

// invalidate removes a key from the table and sends a message to its readers.
func (t *Table) invalidate(by *commands.Conn, k *key) {
	t.forget(k)
	names := []string{k.name}
	for _, id := range k.readers {
		c := t.conns[id]
		if c == nil || c.Tracking.Bcast || c == by && c.Tracking.NoLoop {
			continue
		}
		t.send(c, by, names)
	}
}

// flushed sends every tracking client the message that all keys may have changed, and empties the
// table.
func (t *Table) flushed(by *commands.Conn) {
	for _, c := range t.conns {
		t.send(c, by, nil)
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

// broadcast sends the keys that a transaction changed to the clients in BCAST mode: one message for
// each of their prefixes. It looks up the prefixes of each key, so other prefixes cost nothing. NOLOOP leaves
// out what the client itself changed. A key that had expired when it came is no such change, unless it has set
// the key again.
func (t *Table) broadcast(by *commands.Conn, effects []store.Effect) {
	if t.prefixes.Len() == 0 {
		return
	}
	names, own := changedNames(effects, false), []string(nil)
	if by != nil && by.Tracking.NoLoop {
		own = changedNames(effects, true)
	}
	isOwn := func(name string) bool { _, found := slices.BinarySearch(own, name); return found }
	for _, p := range t.prefixesOf(names) {
		matching := withPrefix(names, p.Name)
		for _, c := range p.Conns {
			told := matching
			if c == by {
				told = slices.DeleteFunc(slices.Clone(told), isOwn)
			}
			if len(told) > 0 {
				t.send(c, by, told)
			}
		}
	}
}

// prefixesOf returns the prefixes that one of the names begins with, in order.
func (t *Table) prefixesOf(names []string) (all []*listeners.Name) {
	for _, name := range names {
		all = t.prefixes.Prefixes(all, name)
	}
	slices.SortFunc(all, func(a, b *listeners.Name) int { return strings.Compare(a.Name, b.Name) })
	return slices.Compact(all)
}

// changedNames returns the names of the keys that effects changed, sorted. own leaves out effects of the time.
func changedNames(effects []store.Effect, own bool) (names []string) {
	for i := range effects {
		e := &effects[i]
		if e.DB == store.Own || e.Op == store.OpFlush || e.Op == store.OpSwapDB || own && e.Expired {
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

// withPrefix returns the names that start with a prefix. The names are sorted.
func withPrefix(sorted []string, prefix string) []string {
	from, _ := slices.BinarySearch(sorted, prefix)
	to := from
	for to < len(sorted) && strings.HasPrefix(sorted[to], prefix) {
		to++
	}
	return sorted[from:to]
}

// send sends the names of changed keys to a client, or to the client of its REDIRECT. Nil means all
// keys. by is the connection whose command runs, or nil.
func (t *Table) send(c, by *commands.Conn, names []string) {
	to := c
	if c.Tracking.Redirect != 0 {
		if to = t.find(c.Tracking.Redirect); to == nil {
			reportBrokenRedirect(c, by)
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

// invalidationChannel is the channel of messages to RESP2 clients of a REDIRECT.
const invalidationChannel = "__redis__:invalidate"

// startMessage starts a message in the protocol of a client. It returns false if the client cannot
// receive the message.
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

// reportBrokenRedirect tells a client that the client of its REDIRECT has disconnected.
func reportBrokenRedirect(c, by *commands.Conn) {
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
