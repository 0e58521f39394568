package list

import (
	"slices"

	"cellserver/store/packed"
)

// place is where an element goes: before element number i, or in its place if removed is 1.
type place struct {
	i, removed int
	element    []byte // a result of [packed.AppendElement]
	limits     blockLimits
}

// fits reports whether a block has room for the element.
func (p *place) fits(b *packed.List) bool {
	bytes := 0
	if p.removed > 0 {
		at := b.At(p.i)
		bytes = b.Next(at) - at
	}
	return p.limits.takes(b, p.element, p.removed, bytes)
}

// span returns where the element goes in a block: in the place of the bytes between two offsets.
func (p *place) span(b *packed.List) (at, to int) {
	at = offset(b, p.i)
	if p.removed > 0 {
		return at, b.Next(at)
	}
	return at, at
}

// into returns a block with the element.
func (p *place) into(b *packed.List) *packed.List {
	at, to := p.span(b)
	return b.Replace(at, to, p.element, p.removed, 1)
}

// put puts an element into the tree.
func (g *large) put(p *place) {
	g.root = g.own(g.root)
	if more := g.putBelow(g.root, p); more != nil {
		g.root = g.inner(append([]*node{g.root}, more...)...)
	}
}

// putBelow puts an element into a node that the tree owns. It returns the nodes that now follow the node.
func (g *large) putBelow(n *node, p *place) (more []*node) {
	if n.kids == nil {
		return g.putLeaf(n, p)
	}
	k := 0
	if p.i == n.count && p.removed == 0 {
		k = len(n.kids) - 1
		p.i = n.kids[k].count
	}
	for k < len(n.kids)-1 && p.isBehind(n.kids[k]) {
		p.i -= n.kids[k].count
		k++
	}
	kid := g.ownKid(n, k)
	before := kid.bytes
	more = g.putBelow(kid, p)
	n.count += 1 - p.removed
	n.bytes += kid.bytes - before
	if more == nil {
		return nil
	}
	for _, m := range more {
		n.bytes += m.bytes
	}
	n.kids = slices.Insert(n.kids, k+1, more...)
	return g.split(n)
}

// isBehind reports whether the element does not go into a node, but behind it.
func (p *place) isBehind(n *node) bool {
	if p.i != n.count || p.removed > 0 {
		return p.i >= n.count
	}
	return n.kids != nil || !p.limits.takes(n.block, p.element, 0, 0)
}

// split returns the second half of a node that has too many children.
func (g *large) split(n *node) (more []*node) {
	if len(n.kids) <= fan {
		return nil
	}
	half := len(n.kids) / 2
	right := g.inner(n.kids[half:]...)
	clear(n.kids[half:])
	n.kids = n.kids[:half]
	n.sum()
	return []*node{right}
}

// putLeaf puts an element into a leaf. A leaf without room is split there. So elements that are always put
// at one end leave full leaves behind.
func (g *large) putLeaf(n *node, p *place) (more []*node) {
	if p.fits(n.block) {
		at, to := p.span(n.block)
		n.edit(at, to, p.element, p.removed, 1)
		return nil
	}
	n.trim()
	b, count := n.block, n.count
	from := offset(b, p.i)
	to := offset(b, p.i+p.removed)
	var blocks []*packed.List
	if p.i > 0 {
		blocks = append(blocks, b.Slice(b.First(), from, p.i))
	}
	blocks = append(blocks, packed.Of(p.element, 1))
	if rest := count - p.i - p.removed; rest == count {
		blocks = append(blocks, b)
	} else if rest > 0 {
		blocks = append(blocks, b.Slice(to, b.End(), rest))
	}
	blocks = p.limits.joined(blocks)
	n.setBlock(blocks[0])
	for _, b := range blocks[1:] {
		more = append(more, g.leaf(b))
	}
	return more
}

// joined joins blocks that follow each other, if they fit in one.
func (l blockLimits) joined(blocks []*packed.List) []*packed.List {
	all := blocks[:1]
	for _, b := range blocks[1:] {
		if last := all[len(all)-1]; l.fit(last, b) {
			all[len(all)-1] = join(last, b)
		} else {
			all = append(all, b)
		}
	}
	return all
}

// fit reports whether one block has room for two.
func (l blockLimits) fit(a, b *packed.List) bool {
	return a.Len()+b.Len() <= l.elements && a.Size()+b.Size() <= l.bytes
}
