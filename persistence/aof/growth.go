package aof

import "cellserver/store"

// firstLook is after how many bytes of a file it is first estimated how many keys it makes; then after
// four times as many, and so on.
const firstLook = 1 << 20

// growth has the store make room for the keys that a file is going to make, as far as those that it has
// made let expect: to grow to them step by step takes longer. Room is given up that was made in vain.
type growth struct {
	store *store.Store
	tx    *store.Tx
	now   int64
	size  int64 // of the file
	db    int   // of which so many
	keys  int   // there were
	at    int64 // at this offset
	next  int64 // where to look next
}

// begin begins to look at a file.
func (g *growth) begin(from, size int64) {
	g.size, g.at, g.next = size, from, from+firstLook
	g.keys = g.store.Len(g.db)
}

// look looks at how many keys of a database there are, once the file has been read up to an offset.
func (g *growth) look(at int64, db int) {
	keys, made := g.store.Len(db), 0
	if db == g.db {
		made = keys - g.keys
	}
	if more := float64(made) / float64(at-g.at) * float64(g.size-at); more > float64(max(keys, store.Partitions)) {
		g.expect(db, keys+int(more))
	}
	g.db, g.keys, g.next, g.at = db, keys, at+4*(at-g.at), at
}

func (g *growth) expect(db, keys int) {
	var everything store.Footprint
	everything.AddAll()
	g.tx.Begin(g.now, db, &everything)
	defer g.tx.End()
	g.tx.Expect(keys)
}

// settle gives up what nothing came to.
func (g *growth) settle() {
	for db := range g.store.Databases() {
		g.expect(db, 0)
	}
}
