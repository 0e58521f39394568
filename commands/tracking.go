package commands

import (
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/store"
)

// trackOptions are what CLIENT TRACKING ON chooses.
type trackOptions struct {
	bcast, optIn, optOut, noLoop bool
	redirect                     int64    // the client that gets the messages; 0 for oneself
	prefixes                     []string // of BCAST; in force they are sorted, and none overlaps another
}

// track is one client's part in tracking. Its own goroutine changes it, with
// tracking.mu held; so that goroutine reads it freely, and others with tracking.mu.
type track struct {
	trackOptions
	on      bool
	caching bool        // CLIENT CACHING was given for the command to come; the client's own
	broken  atomic.Bool // the client to redirect to is gone

	reads []trackedRead // keys that the running command has read; the client's own
}

// trackedRead is a key that was read after as many effects of its transaction.
type trackedRead struct {
	key   []byte
	after int
}

// target is the id for CLIENT GETREDIR: 0 without redirection, -1 without tracking.
func (t *track) target() int64 {
	if !t.on {
		return -1
	}
	return t.redirect
}

// wants reports whether the keys of the command at hand are to be remembered.
func (t *track) wants() bool {
	return t.on && !t.bcast && (!t.optIn || t.caching) && (!t.optOut || !t.caching)
}

// tracking knows which clients have read which keys, and tells them when a key changes.
//
// A read is remembered, and a change is told, while the partition of its key is locked;
// so a change that follows a read is never missed. Messages leave after the replies of
// the reader's batch, so no reply that is older than a message comes after it.
type tracking struct {
	server *Server
	on     atomic.Int64 // clients that track: while it is 0 nobody looks further
	size   atomic.Int64 // keys remembered

	mu       sync.Mutex // guards what follows; taken while partitions are locked
	clients  map[int64]*Client
	byTx     map[*store.Tx]*Client
	keys     map[string]*trackedKey
	oldest   *trackedKey // of a list in the order of remembering
	newest   *trackedKey
	items    int // readers of all keys together
	prefixes listeners
}

// trackedKey is a key that clients have read.
type trackedKey struct {
	key            string
	readers        []int64 // ids of clients, ascending; some may be gone
	older, younger *trackedKey
}

func (t *tracking) init(s *Server) {
	t.server = s
	t.clients = map[int64]*Client{}
	t.byTx = map[*store.Tx]*Client{}
	t.keys = map[string]*trackedKey{}
}

// start is CLIENT TRACKING ON. Prefixes add to those that the client has already.
func (t *tracking) start(c *Client, o *trackOptions) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !c.track.on {
		t.on.Add(1)
		t.clients[c.ID], t.byTx[c.tx] = c, c
	}
	had := c.track.prefixes
	c.track.on, c.track.trackOptions = true, *o
	c.track.broken.Store(false)
	if !o.bcast {
		return
	}
	added := o.prefixes
	if len(added) == 0 {
		added = []string{""}
	}
	for _, p := range added {
		if !slices.Contains(had, p) {
			t.prefixes.add(c, p)
			had = append(had, p)
		}
	}
	slices.Sort(had)
	c.track.prefixes = had
}

// stop is CLIENT TRACKING OFF, RESET and the end of a connection. What the client has
// read is forgotten little by little, when it changes or others read it; with the last
// client, everything is.
func (t *tracking) stop(c *Client) {
	if !c.track.on {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.on.Add(-1)
	delete(t.clients, c.ID)
	delete(t.byTx, c.tx)
	for _, p := range c.track.prefixes {
		t.prefixes.remove(c, p)
	}
	if len(t.clients) == 0 {
		t.forgetAll()
	}
	c.track.on, c.track.caching, c.track.trackOptions = false, false, trackOptions{}
	c.track.broken.Store(false)
}

// noteReads notes the keys of a command that has read them, until its transaction ends.
func (c *Client) noteReads(call *Call) {
	call.Cmd.eachKey(call.Args, func(key []byte) {
		c.track.reads = append(c.track.reads, trackedRead{key, call.Tx.Changes()})
	})
}

// endTx ends the client's transaction. One without effects is settled here, any other
// when the store tells of its effects.
func (c *Client) endTx() {
	if len(c.track.reads) == 0 {
		c.tx.End()
		return
	}
	defer c.forgetReads()
	defer c.tx.End()
	if c.tx.Changes() == 0 {
		c.server.tracking.settle(c.tx, nil)
	}
}

// keptReads is for how many keys a client keeps room between transactions.
const keptReads = 1024

func (c *Client) forgetReads() {
	clear(c.track.reads)
	c.track.reads = c.track.reads[:0]
	if cap(c.track.reads) > keptReads {
		c.track.reads = nil
	}
}

// settle brings a transaction's reads and changes in, in the order in which they happened.
func (t *tracking) settle(tx *store.Tx, effects []store.Effect) {
	t.mu.Lock()
	defer t.mu.Unlock()
	by := t.byTx[tx] // nil: a client that does not track, or none
	var reads []trackedRead
	if by != nil {
		reads = by.track.reads
	}
	for i := range effects {
		for len(reads) > 0 && reads[0].after <= i {
			t.remember(by, reads[0].key)
			reads = reads[1:]
		}
		t.changed(by, effects, i)
	}
	for _, r := range reads {
		t.remember(by, r.key)
	}
	t.broadcast(by, effects)
}

// remember notes that a client has read a key.
func (t *tracking) remember(c *Client, key []byte) {
	k := t.keys[string(key)]
	if k == nil {
		k = &trackedKey{key: string(key), older: t.newest}
		t.keys[k.key] = k
		t.size.Add(1)
		if t.newest != nil {
			t.newest.younger = k
		} else {
			t.oldest = k
		}
		t.newest = k
	}
	if len(k.readers) == cap(k.readers) {
		t.items -= len(k.readers)
		k.readers = slices.DeleteFunc(k.readers, func(id int64) bool { return t.clients[id] == nil })
		t.items += len(k.readers)
	}
	if i, found := slices.BinarySearch(k.readers, c.ID); !found {
		k.readers = slices.Insert(k.readers, i, c.ID)
		t.items++
	}
}

func (t *tracking) forgetAll() {
	clear(t.keys)
	t.oldest, t.newest, t.items = nil, nil, 0
	t.size.Store(0)
}

func (t *tracking) forget(k *trackedKey) {
	delete(t.keys, k.key)
	t.size.Add(-1)
	t.items -= len(k.readers)
	if k.older != nil {
		k.older.younger = k.younger
	} else {
		t.oldest = k.younger
	}
	if k.younger != nil {
		k.younger.older = k.older
	} else {
		t.newest = k.older
	}
}

// trackingDone is what a command leaves to do for tracking: CACHING holds for one
// command or one transaction, and the table is kept in its bounds.
func (c *Client) trackingDone() {
	t := &c.server.tracking
	if t.on.Load() == 0 {
		return
	}
	if c.track.caching && !c.multi.active && !c.call.Cmd.isClient() {
		c.track.caching = false
	}
	t.limit()
}

// isClient reports whether the command is one of CLIENT's; nil is not.
func (c *Command) isClient() bool { return c != nil && c.parent != nil && c.parent.Name == "client" }

// maxEvictions bounds how many tracked keys one command may have to forget.
const maxEvictions = 1000

// limit forgets the keys remembered longest while there are more than
// tracking-table-max-keys, and tells their readers. Nobody changed those keys, so
// NOLOOP keeps nobody from being told.
func (t *tracking) limit() {
	bound := t.server.Config().TrackingTableMaxKeys
	if bound == 0 || t.size.Load() <= bound {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for range maxEvictions {
		if t.size.Load() <= bound {
			return
		}
		t.invalidate(nil, t.oldest)
	}
}
