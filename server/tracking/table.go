package tracking

import (
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/server/listeners"
	"cellserver/store"
)

// Table knows which clients have read which keys, and tells them when a key changes. It
// implements [commands.Tracker].
type Table struct {
	config func() *config.Config
	find   func(id int64) *commands.Conn // a connected client, nil if there is none
	on     atomic.Int64                  // clients that track: while it is 0, no command takes the lock
	size   atomic.Int64                  // keys

	mu       sync.Mutex // guards the rest; taken while partitions are locked
	conns    map[int64]*commands.Conn
	byTx     map[*store.Tx]*commands.Conn
	keys     map[string]*key
	oldest   *key // of a list in the order of remembering
	newest   *key
	items    int // readers of all keys together
	prefixes listeners.List
}

// key is a key that clients have read.
type key struct {
	name           string
	readers        []int64 // ids of clients, ascending; some may be gone
	older, younger *key
}

// New returns an empty table. find returns the connected client of an id, nil if there is none.
func New(config func() *config.Config, find func(id int64) *commands.Conn) *Table {
	return &Table{config: config, find: find, conns: map[int64]*commands.Conn{}, byTx: map[*store.Tx]*commands.Conn{}, keys: map[string]*key{}}
}

// On returns the number of clients that track.
func (t *Table) On() int64 { return t.on.Load() }

// Sizes returns the number of keys, of readers of all keys together, and of prefixes.
func (t *Table) Sizes() (keys, items, prefixes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.keys), t.items, len(t.prefixes)
}

// Start implements [commands.Tracker]. Prefixes add to those that the client has already.
func (t *Table) Start(c *commands.Conn, o *commands.TrackingOptions) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !c.Tracking.On {
		t.on.Add(1)
		t.conns[c.ID], t.byTx[c.Tracking.Tx] = c, c
	}
	had := c.Tracking.Prefixes
	c.Tracking.On, c.Tracking.TrackingOptions = true, *o
	c.Tracking.Broken.Store(false)
	if !o.Bcast {
		return
	}
	added := o.Prefixes
	if len(added) == 0 {
		added = []string{""}
	}
	for _, p := range added {
		if !slices.Contains(had, p) {
			t.prefixes.Add(c, p)
			had = append(had, p)
		}
	}
	slices.Sort(had)
	c.Tracking.Prefixes = had
}

// Stop implements [commands.Tracker]. The table forgets the client's reads bit by bit, when
// those keys change or other clients read them. After the last client it forgets everything.
func (t *Table) Stop(c *commands.Conn) {
	if !c.Tracking.On {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.on.Add(-1)
	delete(t.conns, c.ID)
	delete(t.byTx, c.Tracking.Tx)
	for _, p := range c.Tracking.Prefixes {
		t.prefixes.Remove(c, p)
	}
	if len(t.conns) == 0 {
		t.forgetAll()
	}
	c.Tracking.On, c.Tracking.Caching, c.Tracking.TrackingOptions = false, false, commands.TrackingOptions{}
	c.Tracking.Broken.Store(false)
}

// NoteReads notes the keys that a command has read, until its transaction ends.
func NoteReads(call *commands.Call) {
	reads := &call.Conn.Tracking.Reads
	call.Cmd.EachKey(call.Args, func(key []byte) {
		*reads = append(*reads, commands.TrackedRead{Key: key, After: call.Tx.Changes()})
	})
}

// EndTx ends the transaction of a connection that may have noted reads. If the transaction has
// effects, the store reports them to [Table.Committed]; if not, EndTx remembers the reads.
func (t *Table) EndTx(c *commands.Conn) {
	tx := c.Tracking.Tx
	if len(c.Tracking.Reads) == 0 {
		tx.End()
		return
	}
	defer forgetReads(c)
	defer tx.End()
	if tx.Changes() == 0 {
		t.apply(tx, nil)
	}
}

// keptReads is the number of reads for which a connection keeps memory between transactions.
const keptReads = 1024

func forgetReads(c *commands.Conn) {
	reads := &c.Tracking.Reads
	clear(*reads)
	*reads = (*reads)[:0]
	if cap(*reads) > keptReads {
		*reads = nil
	}
}

// Committed tells clients of a transaction's effects.
func (t *Table) Committed(tx *store.Tx, effects []store.Effect) {
	if t.on.Load() > 0 {
		t.apply(tx, effects)
	}
}

// apply handles a transaction's reads and changes, in the order in which they happened.
func (t *Table) apply(tx *store.Tx, effects []store.Effect) {
	t.mu.Lock()
	defer t.mu.Unlock()
	by := t.byTx[tx] // nil: a client that does not track, or none
	var reads []commands.TrackedRead
	if by != nil {
		reads = by.Tracking.Reads
	}
	for i := range effects {
		for len(reads) > 0 && reads[0].After <= i {
			t.addRead(by, reads[0].Key)
			reads = reads[1:]
		}
		t.invalidateChanged(by, effects, i)
	}
	for _, r := range reads {
		t.addRead(by, r.Key)
	}
	t.broadcast(by, effects)
}

// addRead notes that a client has read a key.
func (t *Table) addRead(c *commands.Conn, name []byte) {
	k := t.keys[string(name)]
	if k == nil {
		k = &key{name: string(name), older: t.newest}
		t.keys[k.name] = k
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
		k.readers = slices.DeleteFunc(k.readers, func(id int64) bool { return t.conns[id] == nil })
		t.items += len(k.readers)
	}
	if i, found := slices.BinarySearch(k.readers, c.ID); !found {
		k.readers = slices.Insert(k.readers, i, c.ID)
		t.items++
	}
}

func (t *Table) forgetAll() {
	clear(t.keys)
	t.oldest, t.newest, t.items = nil, nil, 0
	t.size.Store(0)
}

func (t *Table) forget(k *key) {
	delete(t.keys, k.name)
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

// CommandDone ends what a command left for tracking. CLIENT CACHING holds for one command or
// one transaction, and the table stays within its bound.
func (t *Table) CommandDone(c *commands.Conn, cmd *commands.Command) {
	if t.on.Load() == 0 {
		return
	}
	if c.Tracking.Caching && !c.Transaction.Queue.Active && !cmd.IsSubOf("client") {
		c.Tracking.Caching = false
	}
	t.evictOldest()
}

// maxEvictions bounds how many keys one command may make the table forget.
const maxEvictions = 1000

// evictOldest forgets the oldest keys beyond tracking-table-max-keys, and tells their readers. No
// client changed those keys, so NOLOOP does not apply.
func (t *Table) evictOldest() {
	bound := t.config().TrackingTableMaxKeys
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
