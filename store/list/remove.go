package list

import "cellserver/store/packed"

// removal is what LREM removes: the first or last elements that equal another one.
type removal struct {
	element  []byte
	left     int // how many to remove yet
	backward bool
	limits   blockLimits
	matched  matched
}

// block returns a block without the elements to remove. If there are any, it is another block.
func (r *removal) block(b *packed.List) *packed.List {
	m := &r.matched
	m.find(b, r.element)
	n := min(m.n, r.left)
	if n == 0 {
		return b
	}
	r.left -= n
	gone := m.at[:n]
	if r.backward {
		gone = m.at[m.n-n : m.n]
	}
	kept := packed.New()
	from, number := b.First(), 0
	for _, e := range gone {
		kept = join(kept, b.Slice(from, e.offset, e.number-number))
		from, number = b.Next(e.offset), e.number+1
	}
	return join(kept, b.Slice(from, b.End(), b.Len()-number))
}

// join returns a block with the elements of two. It may be the first of them.
func join(a, b *packed.List) *packed.List { return a.Append(b.Elements(), b.Len()) }

// removeFrom returns a node without the elements to remove, nil if none is left. If it is the same node,
// nothing has changed there.
func (g *large) removeFrom(n *node, r *removal) *node {
	switch {
	case r.left == 0:
		return n
	case n.kids == nil:
		return g.removeFromLeaf(n, r)
	}
	changed := false
	kids := append(make([]*node, 0, fan+2), n.kids...)
	for i := range kids {
		k := i
		if r.backward {
			k = len(kids) - 1 - i
		}
		kid := g.removeFrom(kids[k], r)
		changed = changed || kid != kids[k]
		kids[k] = kid
	}
	if !changed {
		return n
	}
	return g.gathered(kids, r.limits)
}

func (g *large) removeFromLeaf(n *node, r *removal) *node {
	b := r.block(n.block)
	switch {
	case b == n.block:
		return n
	case b.Len() == 0:
		return nil
	}
	return g.leaf(b)
}

// gathered returns a node with the children that are left, nil if none is. Children that follow each other
// become one if together they are half as large as one may be.
func (g *large) gathered(kids []*node, l blockLimits) *node {
	half := blockLimits{l.elements / 2, l.bytes / 2}
	all := kids[:0]
	for _, kid := range kids {
		if kid == nil {
			continue
		}
		if len(all) > 0 {
			if both := g.both(all[len(all)-1], kid, half); both != nil {
				all[len(all)-1] = both
				continue
			}
		}
		all = append(all, kid)
	}
	if len(all) == 0 {
		return nil
	}
	return g.inner(all...)
}

// both returns a node with what two nodes have, nil if they have too much.
func (g *large) both(a, b *node, l blockLimits) *node {
	switch {
	case a.kids == nil && l.fit(a.block, b.block):
		return g.leaf(join(a.block.Clone(), b.block))
	case a.kids != nil && len(a.kids)+len(b.kids) <= fan/2:
		kids := append(make([]*node, 0, fan), a.kids...)
		return g.inner(append(kids, b.kids...)...)
	}
	return nil
}
