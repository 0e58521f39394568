package table

import (
	"cellserver/internal/pieces"
	"cellserver/store/value"
)

// Keeper is told of each change before it happens. It keeps what others must still see: a running
// snapshot, and the undo log. A partition with neither has no Keeper. Then a write
// pays one comparison.
type Keeper struct {
	Snapshot *Frozen  // nil: no snapshot runs
	Undo     *UndoLog // nil: no change is to be undone
}

// saveHead keeps a cell that is about to change in place, or to go. gone says that the cell's value
// goes, too.
func (t *Table) saveHead(g *segment, off uint32, gone bool) {
	if k := *t.keeper; k != nil {
		k.saveHead(t, g, off, gone)
	}
}

func (k *Keeper) saveHead(t *Table, g *segment, off uint32, gone bool) {
	if f := k.Snapshot; f != nil && g.snapshot != f.number {
		f.saveHead(t, g, off)
	}
	if k.Undo != nil {
		k.Undo.keep(t, g.cell(off), gone)
	}
}

// saveAbsent notes that a key is absent, before its cell comes.
func (t *Table) saveAbsent(g *segment, key []byte) {
	if k := *t.keeper; k != nil {
		k.saveAbsent(t, g, key)
	}
}

func (k *Keeper) saveAbsent(t *Table, g *segment, key []byte) {
	if f := k.Snapshot; f != nil && g.snapshot != f.number {
		f.headsOf(g)
	}
	if k.Undo != nil {
		k.Undo.keepAbsent(t, key)
	}
}

// preserve keeps a segment that is about to be rebuilt, or whose objects are about to change. No key
// changes, so the undo log need not know.
func (t *Table) preserve(g *segment) {
	if k := *t.keeper; k != nil {
		k.preserve(t, g)
	}
}

func (k *Keeper) preserve(t *Table, g *segment) {
	if f := k.Snapshot; f != nil && g.snapshot != f.number {
		f.preserve(t, g)
	}
}

// saveString keeps the string of a key before it changes in place.
func (k *Keeper) saveString(p *Place) {
	k.preserve(p.t, p.g)
	if k.Undo != nil {
		k.Undo.keep(p.t, p.Cell(), false)
	}
}

// writableBytes returns a string for a change in place: a copy, unless nobody else sees the string.
func (k *Keeper) writableBytes(b []byte) []byte {
	if !(k.Snapshot != nil && k.Snapshot.sees(b) || k.Undo != nil && !k.Undo.made(&b[:1][0])) {
		return b
	}
	own := pieces.Append(make([]byte, 0, cap(b)), b)
	if k.Snapshot != nil {
		k.Snapshot.noteCopy(own)
	}
	if k.Undo != nil {
		k.Undo.hold(int64(cap(b)))
		k.Undo.note(&own[:1][0])
	}
	return own
}

// writable returns the collection of a key for a change in place: a fork, unless nobody else sees the
// collection.
func (k *Keeper) writable(p *Place) value.Collection {
	f, u, o := k.Snapshot, k.Undo, p.object()
	seen := f != nil && o.length != f.number
	kept := u != nil && !u.made(o.value)
	if !seen && !kept {
		return o.collection()
	}
	if seen {
		k.preserve(p.t, p.g)
		o.length = f.number
	}
	if kept {
		u.keep(p.t, p.Cell(), false)
	}
	fork, copied := o.collection().Fork()
	o.value = fork
	if u != nil {
		u.hold(copied)
		u.note(fork)
	}
	return fork
}
