package trie

// Set gives a key its value, and reports whether the key is new. The bytes are copied.
func (m *Map) Set(key, value []byte) (added bool) {
	return m.setAt(&m.root, hashOf(key), 0, key, value)
}

// setAt is Set below the place of a node at a depth. The place may be empty.
func (m *Map) setAt(place **node, hash uint64, depth int, key, value []byte) (added bool) {
	n := m.own(*place)
	*place = n
	if n.kids != nil {
		added = m.setAt(&n.kids[digitAt(hash, depth)], hash, depth+1, key, value)
	} else {
		before := n.leaf.bytes()
		added = n.leaf.set(key, value, m.stride())
		m.bytes += n.leaf.bytes() - before
	}
	if added {
		n.count++
	}
	if n.kids == nil && n.count > leafMost && depth < maxDepth {
		m.split(n, depth)
	}
	return added
}

// own returns the node for a change: a copy if other maps may have it, and a leaf in the place of none.
func (m *Map) own(n *node) *node {
	switch {
	case n == nil:
		return m.newNode()
	case n.owner == m.owner:
		return n
	}
	c := &node{owner: m.owner, count: n.count}
	if n.kids != nil {
		kids := *n.kids
		c.kids = &kids
	} else {
		c.leaf = n.leaf.clone()
	}
	return c
}

// split gives the entries of a leaf to children.
func (m *Map) split(n *node, depth int) {
	var kids [fan]*node
	old := n.leaf
	m.bytes += kidsBytes - old.bytes()
	var room Room
	old.each(m.stride(), &room, func(key, value []byte) bool {
		kid := &kids[digitAt(hashOf(key), depth)]
		if *kid == nil {
			*kid = m.newNode()
			m.bytes -= emptyLeaf
		}
		(*kid).leaf.put(key, value, m.stride())
		(*kid).count++
		return true
	})
	n.kids, n.leaf = &kids, leaf{}
	for _, kid := range kids {
		if kid == nil {
			continue
		}
		m.bytes += kid.leaf.bytes()
		if kid.count > leafMost && depth+1 < maxDepth {
			m.split(kid, depth+1)
		}
	}
}

// Remove removes a key, and reports whether it was there.
func (m *Map) Remove(key []byte) bool {
	_, ok := m.Get(key, nil)
	if ok {
		m.removeAt(&m.root, hashOf(key), 0, key)
	}
	return ok
}

// removeAt removes a key that is below the place of a node at a depth. It drops an empty leaf, and makes a
// node of few entries a leaf.
func (m *Map) removeAt(place **node, hash uint64, depth int, key []byte) {
	n := m.own(*place)
	*place = n
	n.count--
	if n.kids == nil {
		before := n.leaf.bytes()
		n.leaf.remove(key, m.stride())
		m.bytes += n.leaf.bytes() - before
		return
	}
	kid := &n.kids[digitAt(hash, depth)]
	m.removeAt(kid, hash, depth+1, key)
	switch {
	case n.count <= leafLeast:
		m.join(n)
	case (*kid).count == 0:
		m.drop(*kid)
		*kid = nil
	}
}

// join makes a node a leaf with all entries below.
func (m *Map) join(n *node) {
	all := newLeaf()
	var room Room
	n.each(m.stride(), &room, func(key, value []byte) bool {
		all.put(key, value, m.stride())
		return true
	})
	for _, kid := range n.kids {
		if kid != nil {
			m.drop(kid)
		}
	}
	n.kids, n.leaf = nil, all
	m.bytes += all.bytes() - kidsBytes
}

// drop uncounts a node and all nodes below.
func (m *Map) drop(n *node) {
	if m.bytes -= nodeBytes; n.kids == nil {
		m.bytes -= n.leaf.bytes()
		return
	}
	m.bytes -= kidsBytes
	for _, kid := range n.kids {
		if kid != nil {
			m.drop(kid)
		}
	}
}
