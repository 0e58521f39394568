package aof

import "cellserver/store"

const (
	// firstLook is after how many bytes of a file it is first estimated how many keys it makes: then after four
	// times as many, and so on.
	firstLook = 1 << 20
	// leastCommand is how many bytes of a file vouch for a key: no command that makes one takes less.
	leastCommand = 27
	// mostGrowth is how many times the keys that are there may be expected: a wrong estimate takes memory until
	// the next look.
	mostGrowth = 16
)

// growth has the store make room for the keys that a file is going to make, as far as those that it has
// made let expect: to grow to them step by step takes longer. Room that was made in vain is given up.
type growth struct {
	store *store.Store
	tx    *store.Tx
	now   int64
	size  int64 // of the file, in bytes
	next  int64 // offset at which to look next
	last  sight
}

// sight is what a look has seen.
type sight struct {
	at   int64 // offset in the file
	db   int
	keys int // of that database
}

// begin begins to look at a file.
func (g *growth) begin(from, size int64) {
	g.size, g.next = size, from+firstLook
	g.last = sight{from, 0, g.store.Len(0)}
}

// look looks at how many keys of a database there are, once the file has been read up to an offset.
func (g *growth) look(at int64, db int) {
	seen := sight{at, db, g.store.Len(db)}
	if more := g.estimate(seen); more > max(seen.keys, store.Partitions) { // for fewer, tables hardly grow
		g.tell(db, func() { g.tx.Reserve(seen.keys + more) })
	} else {
		g.tell(db, func() { g.tx.Reserve(0) })
	}
	g.next, g.last = at+4*(at-g.last.at), seen
}

// estimate says how many keys more there will be of a database, at most.
func (g *growth) estimate(seen sight) int {
	if seen.db != g.last.db {
		return 0
	}
	rest := g.size - seen.at
	made := float64(seen.keys-g.last.keys) / float64(seen.at-g.last.at)
	return int(min(made*float64(rest), float64(rest/leastCommand), float64(seen.keys)*(mostGrowth-1)))
}

// settle gives up what nothing came to.
func (g *growth) settle() { g.tell(0, g.tx.ReleaseReserved) }

// tell tells the whole store something about a database.
func (g *growth) tell(db int, something func()) {
	var everything store.Footprint
	everything.AddAll()
	g.tx.Begin(g.now, db, &everything)
	defer g.tx.End()
	something()
}
