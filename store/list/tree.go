package list

import (
	"unsafe"

	"cellserver/store/packed"
)

// node is a leaf with a block, or has children.
type node struct {
	owner *owner
	count int   // of the elements below
	bytes int64 // of this node and of all nodes below
	kids  []*node
	block *packed.List // without kids
	room  int          // of the block
}

// owner marks the nodes that only one list has. It is not empty, so each has an address of its own.
type owner struct{ _ byte }

// fan is the most children of a node. A change may add two before the node is split.
const fan = 32

const (
	nodeBytes  = int64(unsafe.Sizeof(node{}))
	innerBytes = nodeBytes + (fan+2)*8
)

func (g *large) leaf(b *packed.List) *node {
	n := &node{owner: g.owner}
	n.setBlock(b)
	return n
}

func (g *large) inner(kids ...*node) *node {
	n := &node{owner: g.owner, kids: append(make([]*node, 0, fan+2), kids...)}
	n.sum()
	return n
}

// sum counts what is below an inner node.
func (n *node) sum() {
	n.count, n.bytes = 0, innerBytes
	for _, kid := range n.kids {
		n.count += kid.count
		n.bytes += kid.bytes
	}
}

// setBlock gives a leaf a block without spare room.
func (n *node) setBlock(b *packed.List) {
	n.block, n.count, n.room = b, b.Len(), int(b.Bytes())
	n.bytes = nodeBytes + int64(n.room)
}

// edit puts elements in the place of others, as [packed.List.Replace]. A leaf that grows gets spare room,
// because the next element often goes there. A leaf that shrinks keeps its room until three quarters of it
// are spare.
func (n *node) edit(from, to int, elements []byte, removed, count int) {
	size := n.block.End() - (to - from) + len(elements)
	switch {
	case size > n.room && size > fullBlock:
		n.setBlock(n.block.Replace(from, to, elements, removed, count))
		return
	case size > n.room:
		n.setRoom(packed.Room(min(max(2*size, 256), fullBlock)))
	}
	n.block.ReplaceWithin(n.room, from, to, elements, removed, count)
	n.count += count - removed
	if size < n.room/4 {
		n.trim()
	}
}

func (n *node) setRoom(room int) {
	n.block, n.bytes, n.room = n.block.Roomy(room), n.bytes+int64(room-n.room), room
}

// trim drops the spare room.
func (n *node) trim() {
	if room := int(n.block.Bytes()); room < n.room {
		n.setRoom(room)
	}
}

// own returns the node for a change: a copy, if other lists may have it.
func (g *large) own(n *node) *node {
	if n.owner == g.owner {
		return n
	}
	c := *n
	c.owner = g.owner
	if n.kids != nil {
		c.kids = append(make([]*node, 0, fan+2), n.kids...)
	} else {
		c.block = n.block.Roomy(n.room)
	}
	return &c
}

// ownKid returns a child for a change.
func (g *large) ownKid(n *node, k int) *node {
	kid := n.kids[k]
	if kid.owner != g.owner {
		kid = g.own(kid)
		n.kids[k] = kid
	}
	return kid
}

// offset returns where element number i of a leaf begins. With i = count it is the end.
func (n *node) offset(i int) int { return offset(n.block, i) }

func offset(b *packed.List, i int) int {
	if i == b.Len() {
		return b.End()
	}
	return b.At(i)
}

// each calls f for the elements number from … to-1 until f returns false. It reports whether f has not.
func (n *node) each(from, to int, f func([]byte) bool) bool {
	if n.kids == nil {
		return eachText(n.block, from, to, f)
	}
	for _, kid := range n.kids {
		if from < kid.count && !kid.each(max(from, 0), min(to, kid.count), f) {
			return false
		}
		from, to = from-kid.count, to-kid.count
		if to <= 0 {
			break
		}
	}
	return true
}

func eachText(b *packed.List, from, to int, f func([]byte) bool) bool {
	var digits [20]byte
	at := b.At(from)
	for range to - from {
		if !f(b.Text(at, digits[:0])) {
			return false
		}
		at = b.Next(at)
	}
	return true
}

// search is a call of [List.Find].
type search struct {
	element  []byte
	from, to int // the elements to look at
	backward bool
	found    func(i int) bool
	matched  matched
}

// node searches a node whose first element has the number base. It reports whether to go on.
func (s *search) node(n *node, base int) bool {
	if n.kids == nil {
		return s.block(n.block, base)
	}
	if !s.backward {
		for _, kid := range n.kids {
			if !s.below(kid, base) {
				return false
			}
			base += kid.count
		}
		return true
	}
	base += n.count
	for k := len(n.kids) - 1; k >= 0; k-- {
		base -= n.kids[k].count
		if !s.below(n.kids[k], base) {
			return false
		}
	}
	return true
}

func (s *search) below(kid *node, base int) bool {
	return base+kid.count <= s.from || base >= s.to || s.node(kid, base)
}

func (s *search) block(b *packed.List, base int) bool {
	m := &s.matched
	m.find(b, s.element)
	for k := range m.n {
		i := m.at[k].number
		if s.backward {
			i = m.at[m.n-1-k].number
		}
		if i += base; s.from <= i && i < s.to && !s.found(i) {
			return false
		}
	}
	return true
}

// matched are the elements of a block that equal another one.
type matched struct {
	n  int
	at [mostElements]struct{ number, offset int }
}

func (m *matched) find(b *packed.List, element []byte) {
	m.n = 0
	number := 0
	for at := b.First(); at < b.End(); at = b.Next(at) {
		if b.Is(at, element) {
			m.at[m.n].number, m.at[m.n].offset = number, at
			m.n++
		}
		number++
	}
}
