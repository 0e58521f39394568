package list

import (
	"slices"

	"cellserver/store/packed"
)

// cutBlock returns a block without some elements at its ends.
func cutBlock(b *packed.List, head, tail int) *packed.List {
	if tail > 0 {
		b = b.Remove(b.At(b.Len()-tail), b.End(), tail)
	}
	if head > 0 {
		b = b.Remove(b.First(), offset(b, head), head)
	}
	return b
}

// cutLeaf removes elements at the ends of a leaf.
func (n *node) cutLeaf(head, tail int) {
	if tail > 0 {
		n.edit(n.offset(n.count-tail), n.block.End(), nil, tail, 0)
	}
	if head > 0 {
		n.edit(n.block.First(), n.offset(head), nil, head, 0)
	}
}

// cut removes elements, but not all, at the ends of a node that the tree owns.
func (g *large) cut(n *node, head, tail int) {
	if n.kids == nil {
		n.cutLeaf(head, tail)
		return
	}
	first, last := 0, len(n.kids)-1
	for ; head >= n.kids[first].count; first++ {
		head -= n.kids[first].count
		n.drop(n.kids[first])
	}
	for ; tail >= n.kids[last].count; last-- {
		tail -= n.kids[last].count
		n.drop(n.kids[last])
	}
	n.kids = slices.Delete(n.kids, last+1, len(n.kids))
	n.kids = slices.Delete(n.kids, 0, first)
	if len(n.kids) == 1 {
		g.cutKid(n, 0, head, tail)
		return
	}
	g.cutKid(n, 0, head, 0)
	g.cutKid(n, len(n.kids)-1, 0, tail)
}

func (n *node) drop(kid *node) {
	n.count -= kid.count
	n.bytes -= kid.bytes
}

func (g *large) cutKid(n *node, k, head, tail int) {
	if head+tail == 0 {
		return
	}
	kid := g.ownKid(n, k)
	n.drop(kid)
	g.cut(kid, head, tail)
	n.count += kid.count
	n.bytes += kid.bytes
}
