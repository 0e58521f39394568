package meters

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"

	"cellserver/limiters/adaptive"
)

// The bounds of the table.
const (
	parts    = 16 // a power of two
	partKeys = 256
	Keys     = parts * partKeys // the most keys that have a window
	// longestKey is how many bytes of a key the table keeps. maxmemory does not count them.
	longestKey = 256
)

// Table has the windows of adaptive limits. The zero Table is empty, and takes no memory for rows.
// Table implements [commands.Meters].
type Table struct {
	seed  maphash.Seed
	parts [parts]part
	watched
}

// New returns an empty table.
func New() *Table { return &Table{seed: maphash.MakeSeed()} }

// part has the windows of some keys.
type part struct {
	rows atomic.Pointer[rows] // nil before the first key
	mu   sync.Mutex           // guards the rest, and is held to add a row and to write a meter
	at   map[name]int
	hand int // of the clock that finds a row to evict
	_    [32]byte
}

type rows [partKeys]atomic.Pointer[row]

// name is a key of a database, as [Table.short] returns it.
type name struct {
	db  int
	key string
}

// row is the window of a key. `used` says that a second request has come since the hand of the clock
// passed. So many keys of one request each do not evict those in use.
type row struct {
	name  name
	meter adaptive.Meter // only who holds the partition of the key writes it, and reads it without the lock
	used  atomic.Bool
}

// short returns a key as the table keeps it: a long one is its beginning and a hash of all of it.
func (t *Table) short(key []byte) []byte {
	if len(key) <= longestKey {
		return key
	}
	return binary.LittleEndian.AppendUint64(bytes.Clone(key[:longestKey]), maphash.Bytes(t.seed, key))
}

// part returns the number of the part of a key.
func (t *Table) part(db int, key []byte) int {
	return int((maphash.Bytes(t.seed, key) + uint64(db)) % parts)
}

// Get reads the window of a key, one that has not begun if there is none. It looks first at the place of the
// last request of the client, and sets that of this one.
func (t *Table) Get(m *adaptive.Meter, db int, key []byte, at *adaptive.Place) {
	key = t.short(key)
	r := t.row(at.Number, db, key)
	if r == nil {
		number := t.part(db, key)
		at.Number = number*partKeys + t.parts[number].find(db, key)
		if r = t.row(at.Number, db, key); r == nil {
			at.Kept, *m = nil, adaptive.Meter{}
			return
		}
	}
	if !r.used.Load() {
		r.used.Store(true)
	}
	*m = r.meter
	at.Kept = &r.meter
}

// Put keeps the window of a key at the place of Get. `ended` is a window that has ended now. A window whose
// row another key has taken since is lost.
func (t *Table) Put(m *adaptive.Meter, db int, key []byte, at *adaptive.Place, ended *adaptive.Ended) {
	if ended.Result != adaptive.Open {
		t.record(db, key, m, ended)
	}
	p := &t.parts[at.Number/partKeys]
	p.mu.Lock()
	if at.Kept == nil {
		p.add(&row{name: name{db, string(t.short(key))}, meter: *m})
	} else {
		*at.Kept = *m
	}
	p.mu.Unlock()
}

// row returns the row at a place, nil if it is not that of the key.
func (t *Table) row(place, db int, key []byte) *row {
	all := t.parts[place/partKeys].rows.Load()
	if all == nil {
		return nil
	}
	r := all[place%partKeys].Load()
	if r == nil || r.name.db != db || r.name.key != string(key) {
		return nil
	}
	return r
}

// find returns the number of the row of a key, 0 if there is none.
func (p *part) find(db int, key []byte) int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.at[name{db, string(key)}]
}

// add adds a row, in the place of another one if the part is full.
func (p *part) add(r *row) {
	if p.at == nil {
		p.at = map[name]int{}
		p.rows.Store(new(rows))
	}
	i, known := p.at[r.name]
	if !known {
		if i = len(p.at); i == partKeys {
			i = p.unused()
		}
		p.at[r.name] = i
	}
	p.rows.Load()[i].Store(r)
}

// unused makes a row free that has not been used since the hand of the clock passed it, and returns its
// number.
func (p *part) unused() int {
	for {
		i := p.hand
		p.hand = (p.hand + 1) % partKeys
		r := p.rows.Load()[i].Load()
		if !r.used.Swap(false) {
			delete(p.at, r.name)
			return i
		}
	}
}

// Forget removes all windows: those of another leader have begun since.
func (t *Table) Forget() {
	for i := range t.parts {
		p := &t.parts[i]
		p.mu.Lock()
		p.at, p.hand = nil, 0
		p.rows.Store(nil)
		p.mu.Unlock()
	}
}

// Row is a key and its window, for reports. A long key is cut off.
type Row struct {
	DB    int
	Key   string
	Meter adaptive.Meter
}

// MostRefused returns up to n keys whose limits have refused most callers, the most first.
func (t *Table) MostRefused(n int) (all []Row) {
	for i := range t.parts {
		p := &t.parts[i]
		p.mu.Lock()
		for i := range len(p.at) {
			r := p.rows.Load()[i].Load()
			all = append(all, Row{r.name.db, r.name.key[:min(len(r.name.key), longestKey)], r.meter})
		}
		p.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Meter.Denied, a.Meter.Denied), cmp.Compare(a.Key, b.Key))
	})
	return all[:min(n, len(all))]
}
