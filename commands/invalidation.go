package commands

import (
	"slices"
	"strings"

	"cellserver/resp"
	"cellserver/store"
)

// changed tells the readers of what an effect changed.
func (t *tracking) changed(by *Client, effects []store.Effect, i int) {
	switch e := &effects[i]; e.Op {
	case store.OpFlush, store.OpSwapDB:
		// FLUSHALL is one effect a database: it is told once. SWAPDB is not told at all by
		// Redis, but caches know no databases, and must not be left with the other one's values.
		if i == 0 || effects[i-1].Op != e.Op {
			t.flushed(by)
		}
	default:
		if k := t.keys[string(e.Key)]; k != nil {
			t.invalidate(by, k)
		}
	}
}

// invalidate tells a key's readers that it changed, and forgets it.
func (t *tracking) invalidate(by *Client, k *trackedKey) {
	t.forget(k)
	keys := []string{k.key}
	for _, id := range k.readers {
		c := t.clients[id]
		if c == nil || c.track.bcast || c == by && c.track.noLoop {
			continue
		}
		t.tell(c, by, keys)
	}
}

// flushed tells everybody that every key may have changed.
func (t *tracking) flushed(by *Client) {
	for _, c := range t.clients {
		t.tell(c, by, nil)
	}
	t.forgetAll()
}

// flushedNothing tells of a FLUSHALL or FLUSHDB that found no keys, as Redis does.
func (t *tracking) flushedNothing(by *Client) {
	if t.on.Load() == 0 {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.flushed(by)
}

// broadcast tells the clients in BCAST mode of the keys that a transaction changed, in
// one message for each of their prefixes.
func (t *tracking) broadcast(by *Client, effects []store.Effect) {
	if len(t.prefixes) == 0 {
		return
	}
	var keys []string
	for i := range effects {
		if e := &effects[i]; e.Op != store.OpFlush && e.Op != store.OpSwapDB {
			keys = append(keys, string(e.Key))
		}
	}
	slices.Sort(keys)
	keys = slices.Compact(keys)
	for _, b := range t.prefixes {
		matching := withPrefix(keys, b.name)
		if len(matching) == 0 {
			continue
		}
		for _, c := range b.clients {
			if c != by || !c.track.noLoop {
				t.tell(c, by, matching)
			}
		}
	}
}

// withPrefix returns the part of sorted keys that begins with a prefix.
func withPrefix(sorted []string, prefix string) []string {
	from, _ := slices.BinarySearch(sorted, prefix)
	to := from
	for to < len(sorted) && strings.HasPrefix(sorted[to], prefix) {
		to++
	}
	return sorted[from:to]
}

// tell sends a client, or the one that it redirects to, the keys that are no longer what
// they were; nil stands for all keys. by is the client whose command is at work.
func (t *tracking) tell(c, by *Client, keys []string) {
	to := c
	if c.track.redirect != 0 {
		if to = t.server.client(c.track.redirect); to == nil {
			c.redirectionBroke(by)
			return
		}
	}
	var w resp.Writer
	if !to.startInvalidation(&w, c.track.redirect != 0) {
		return
	}
	if keys == nil {
		w.Null()
	} else {
		stringArray(&w, keys)
	}
	to.push(by, w.Bytes())
}

// invalidationChannel is where RESP2 clients that others redirect to get their messages.
const invalidationChannel = "__redis__:invalidate"

// startInvalidation begins a message that the client understands; it reports false when
// there is none.
func (c *Client) startInvalidation(w *resp.Writer, redirected bool) bool {
	w.Proto = int(c.proto.Load())
	if w.Proto == 3 {
		w.Push(2)
		w.BulkString("invalidate")
		return true
	}
	if redirected && c.subscribed() {
		w.Array(3)
		w.BulkString("message")
		w.BulkString(invalidationChannel)
		return true
	}
	return false
}

// redirectionBroke says that the client to redirect to is gone.
func (c *Client) redirectionBroke(by *Client) {
	c.track.broken.Store(true)
	if c.proto.Load() != 3 {
		return
	}
	w := resp.Writer{Proto: 3}
	w.Push(2)
	w.BulkString("tracking-redir-broken")
	w.Int(c.track.redirect)
	c.push(by, w.Bytes())
}
