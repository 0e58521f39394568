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

// Table records which clients have read which keys, and sends them messages when a key changes. It
// implements [commands.Tracker].
type Table struct {
	config func() *config.Config
	find   func(id int64) *commands.Conn // returns a connected client, or nil
	on     atomic.Int64                  // number of tracking clients; while it is 0, commands do not take the lock
	size   atomic.Int64                  // number of keys

	mu       sync.Mutex // guards the rest; taken while partitions are locked
	conns    map[int64]*commands.Conn
	keys     map[string]*key
	oldest   *key // of a list in the order of the first reads
	newest   *key
	items    int // total number of readers of all keys
	prefixes listeners.List
}

// key is a key that clients have read.
type key struct {
	name           string
	readers        []int64 // ids of clients, ascending; some may have disconnected
	older, younger *key
}

// New returns an empty table. config returns the configuration in force. find returns the connected
// client of an id, or nil.
func New(config func() *config.Config, find func(id int64) *commands.Conn) *Table {
	return &Table{config: config, find: find, conns: map[int64]*commands.Conn{}, keys: map[string]*key{}}
}

// On returns the number of clients that track.
func (t *Table) On() int64 { return t.on.Load() }

// Sizes returns the number of keys, the total number of readers of all keys, and the number of
// prefixes.
func (t *Table) Sizes() (keys, items, prefixes int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.keys), t.items, t.prefixes.Len()
}

// Start implements [commands.Tracker]. It adds prefixes to the prefixes of the client.
func (t *Table) Start(c *commands.Conn, o *commands.TrackingOptions) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if !c.Tracking.On {
		t.on.Add(1)
		t.conns[c.ID] = c
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
	inForce := had
	for _, p := range added {
		if _, found := slices.BinarySearch(had, p); !found {
			t.prefixes.Add(c, p)
			inForce = append(inForce, p)
		}
	}
	slices.Sort(inForce)
	c.Tracking.Prefixes = inForce
}

// Stop implements [commands.Tracker]. The reads of the client stay in the table until the keys
// change or other clients read them. After the last client the table is empty.
func (t *Table) Stop(c *commands.Conn) {
	if !c.Tracking.On {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.on.Add(-1)
	delete(t.conns, c.ID)
	for _, p := range c.Tracking.Prefixes {
		t.prefixes.Remove(c, p)
	}
	if len(t.conns) == 0 {
		t.forgetAll()
	}
	c.Tracking.On, c.Tracking.Caching, c.Tracking.TrackingOptions = false, false, commands.TrackingOptions{}
	c.Tracking.Broken.Store(false)
}

// NoteReads adds the keys of a command to the reads of its transaction.
func NoteReads(call *commands.Call) {
	reads := &call.Conn.Tracking.Reads
	call.Cmd.EachKey(call.Args, func(key []byte) {
		*reads = append(*reads, commands.TrackedRead{Key: key, After: call.Tx.Changes()})
	})
}

// EndTx ends the transaction of a connection. If the transaction has effects, the store calls
// [Table.Committed], which records the reads. If not, EndTx records them.
func (t *Table) EndTx(c *commands.Conn, tx *store.Tx) {
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

// keptReads is the largest capacity of the list of reads that a connection keeps between
// transactions.
const keptReads = 1024

func forgetReads(c *commands.Conn) {
	reads := &c.Tracking.Reads
	clear(*reads)
	*reads = (*reads)[:0]
	if cap(*reads) > keptReads {
		*reads = nil
	}
}

// Committed sends the messages for the effects of a transaction.
func (t *Table) Committed(tx *store.Tx, effects []store.Effect) {
	if t.on.Load() > 0 {
		t.apply(tx, effects)
	}
}

// apply handles the reads and changes of a transaction, in their order.
func (t *Table) apply(tx *store.Tx, effects []store.Effect) {
	t.mu.Lock()
	defer t.mu.Unlock()
	by, _ := tx.By.(*commands.Conn)
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

// addRead records that a client has read a key.
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

// CommandDone follows every command. It ends CLIENT CACHING after one command or one transaction,
// and keeps the table within its bound. The caller may skip it if no client tracks.
func (t *Table) CommandDone(c *commands.Conn, cmd *commands.Command) {
	if c.Tracking.Caching && !c.Transaction.Queue.Active && !cmd.IsSubOf("client") {
		c.Tracking.Caching = false
	}
	t.evictOldest()
}

// maxEvictions is the largest number of keys that the table evicts after one command.
const maxEvictions = 1000

// evictOldest evicts the oldest keys beyond tracking-table-max-keys, and sends messages to their
// readers. No client changed those keys, so NOLOOP does not apply.
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
