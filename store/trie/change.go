package trie

// Set gives a key its value, and reports whether the key is new. The bytes are copied.
func (m *Map) Set(key, value []byte) (added bool) {
	hash := hashOf(key)
	m.root = m.own(m.root)
	n, depth := m.root, 0
	var path [maxDepth + 1]*node
	for n.kids != nil {
		path[depth] = n
		kid := &n.kids[digitAt(hash, depth)]
		if *kid == nil {
			*kid = m.newNode()
		} else {
			*kid = m.own(*kid)
		}
		n = *kid
		depth++
	}
	before := n.leaf.bytes()
	added = n.leaf.set(key, value, m.stride())
	m.bytes += n.leaf.bytes() - before
	if !added {
		return false
	}
	n.count++
	for _, above := range path[:depth] {
		above.count++
	}
	if n.count > leafMost && depth < maxDepth {
		m.split(n, depth)
	}
	return true
}

// own returns the node for a change: a copy, if other maps may have it.
func (m *Map) own(n *node) *node {
	if n.owner == m.owner {
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
	if _, ok := m.Get(key, nil); !ok {
		return false
	}
	hash := hashOf(key)
	m.root = m.own(m.root)
	n, depth := m.root, 0
	var path [maxDepth + 1]*node
	for n.kids != nil {
		path[depth] = n
		n.count--
		kid := &n.kids[digitAt(hash, depth)]
		*kid = m.own(*kid)
		n = *kid
		depth++
	}
	before := n.leaf.bytes()
	n.leaf.remove(key, m.stride())
	n.count--
	m.bytes += n.leaf.bytes() - before
	m.shrink(path[:depth], hash)
	return true
}

// shrink drops an empty leaf, and makes the highest node of few entries a leaf.
func (m *Map) shrink(path []*node, hash uint64) {
	for depth, n := range path {
		if n.count <= leafLeast {
			m.join(n)
			return
		}
		if kid := &n.kids[digitAt(hash, depth)]; (*kid).count == 0 {
			m.drop(*kid)
			*kid = nil
			return
		}
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
