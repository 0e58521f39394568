package meters

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sync"

	"cellserver/limiters/adaptive"
)

// The bounds of the table.
const (
	parts    = 16 // a power of two
	partKeys = 256
	Keys     = parts * partKeys // the most keys that have a window
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
	mu   sync.Mutex // guards the rest; held to copy one row, or all
	at   map[name]int
	rows []row
	hand int // of the clock that finds a row to evict
	_    [32]byte
}

// name is a key of a database.
type name struct {
	db  int
	key string
}

// row is the window of a key. `used` says that a second request has come since the hand of the clock
// passed. So many keys of one request each do not evict those in use.
type row struct {
	name  name
	meter adaptive.Meter
	used  bool
}

// part returns the number of the part of a key.
func (t *Table) part(db int, key []byte) int {
	return int((maphash.Bytes(t.seed, key) + uint64(db)) % parts)
}

// Get reads the window of a key, one that has not begun if there is none. It looks first at `place`, where
// the last request of the client was. The new place is for Put.
func (t *Table) Get(m *adaptive.Meter, db int, key []byte, place int) (now int) {
	p, i := &t.parts[place/partKeys], place%partKeys
	p.mu.Lock()
	if !p.has(i, db, key) {
		p.mu.Unlock()
		number := t.part(db, key)
		p = &t.parts[number]
		p.mu.Lock()
		var known bool
		i, known = p.at[name{db, string(key)}]
		if place = number*partKeys + i; !known {
			p.mu.Unlock()
			*m = adaptive.Meter{}
			return place
		}
	}
	r := &p.rows[i]
	r.used = true
	*m = r.meter
	p.mu.Unlock()
	return place
}

// Put keeps the window of a key. `place` is that of Get, and `ended` is a window that has ended now.
func (t *Table) Put(db int, key []byte, place int, m *adaptive.Meter, ended *adaptive.Ended) {
	if ended.Result != adaptive.Open {
		t.record(db, key, m, ended)
	}
	p, i := &t.parts[place/partKeys], place%partKeys
	p.mu.Lock()
	if p.has(i, db, key) {
		p.rows[i].meter = *m
	} else {
		p.add(row{name: name{db, string(key)}, meter: *m})
	}
	p.mu.Unlock()
}

// has reports whether a row has the window of a key.
func (p *part) has(i, db int, key []byte) bool {
	return i < len(p.rows) && p.rows[i].name.db == db && p.rows[i].name.key == string(key)
}

// add adds a row, in the place of another one if the part is full.
func (p *part) add(r row) {
	if p.at == nil {
		p.at = map[name]int{}
	}
	i, known := p.at[r.name]
	switch {
	case known:
		p.rows[i] = r
		return
	case len(p.rows) < partKeys:
		i = len(p.rows)
		p.rows = append(p.rows, r)
	default:
		i = p.unused()
		delete(p.at, p.rows[i].name)
		p.rows[i] = r
	}
	p.at[r.name] = i
}

// unused returns the number of the next row that has not been used since the hand passed it.
func (p *part) unused() int {
	for {
		i := p.hand
		p.hand = (p.hand + 1) % partKeys
		if !p.rows[i].used {
			return i
		}
		p.rows[i].used = false
	}
}

// Forget removes all windows: those of another leader have begun since.
func (t *Table) Forget() {
	for i := range t.parts {
		p := &t.parts[i]
		p.mu.Lock()
		p.at, p.rows, p.hand = nil, nil, 0
		p.mu.Unlock()
	}
}

// Row is a key and its window, for reports.
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
		for _, r := range p.rows {
			all = append(all, Row{r.name.db, r.name.key, r.meter})
		}
		p.mu.Unlock()
	}
	slices.SortFunc(all, func(a, b Row) int {
		return cmp.Or(cmp.Compare(b.Meter.Denied, a.Meter.Denied), cmp.Compare(a.Key, b.Key))
	})
	return all[:min(n, len(all))]
}
