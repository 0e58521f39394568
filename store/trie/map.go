package trie

import (
	"hash/maphash"
	"unsafe"
)

// Map has a value for each of its keys, or no values at all ([New]). It has the keys in the order of
// their hashes, which no change affects.
type Map struct {
	root  *node
	owner *owner
	bytes int64 // of all nodes
	sole  bool  // the keys have no values
}

// owner marks the nodes that only one map has. It is not empty, so each has an address of its own.
type owner struct{ _ byte }

// node is a leaf, or has children: one for each next digit of the hashes.
type node struct {
	owner *owner
	count int // of the entries below
	kids  *[fan]*node
	leaf  leaf // without kids
}

const (
	digit    = 4 // bits of the hash
	fan      = 1 << digit
	maxDepth = (scanBits + digit - 1) / digit

	// A larger leaf takes longer to search. Smaller ones need more nodes.
	leafMost  = 32
	leafLeast = 8

	nodeBytes = int64(unsafe.Sizeof(node{}))
	kidsBytes = int64(unsafe.Sizeof([fan]*node{}))
	mapBytes  = 48 // with the collection that has the map

	// PathBytes is about how many bytes a change copies in a map whose nodes another one shares.
	PathBytes = 2048
)

// seed makes the hashes unknown to clients that choose the keys.
var seed = maphash.MakeSeed()

func hashOf(key []byte) uint64 { return maphash.Bytes(seed, key) }

// digitAt returns the digit of a hash at a depth.
func digitAt(hash uint64, depth int) int { return int(hash >> (64 - digit*(depth+1)) & (fan - 1)) }

// New returns an empty map. With sole, its keys have no values.
func New(sole bool) *Map {
	m := &Map{owner: &owner{}, sole: sole}
	m.root = m.newNode()
	return m
}

func (m *Map) newNode() *node {
	m.bytes += nodeBytes + emptyLeaf
	return &node{owner: m.owner, leaf: newLeaf()}
}

// Len returns the number of keys.
func (m *Map) Len() int { return m.root.count }

// Bytes returns about how much memory the map takes, in bytes.
func (m *Map) Bytes() int64 { return m.bytes + mapBytes }

// stride is the number of elements of an entry.
func (m *Map) stride() int {
	if m.sole {
		return 1
	}
	return 2
}

// Get returns the value of a key, and whether the key is there. The value is in scratch, or valid until the
// map changes.
func (m *Map) Get(key, scratch []byte) (value []byte, ok bool) {
	n, hash := m.root, hashOf(key)
	for depth := 0; n.kids != nil; depth++ {
		if n = n.kids[digitAt(hash, depth)]; n == nil {
			return nil, false
		}
	}
	return n.leaf.get(key, m.stride(), scratch)
}

// At returns the entry of a rank in the order of the hashes, 0 ≤ rank < Len.
func (m *Map) At(rank int, room *Room) (key, value []byte) {
	n := m.root
	for n.kids != nil {
		for _, kid := range n.kids {
			if kid == nil {
				continue
			}
			if rank < kid.count {
				n = kid
				break
			}
			rank -= kid.count
		}
	}
	n.leaf.each(m.stride(), room, func(k, v []byte) bool {
		key, value = k, v
		rank--
		return rank >= 0
	})
	return key, value
}

// Room is the memory in which a reader writes a key and a value that are stored as integers.
type Room struct{ Key, Value [20]byte }

// Each calls f for every entry until f returns false. The bytes are valid until f returns. f must not change
// the map.
func (m *Map) Each(f func(key, value []byte) bool) {
	var room Room
	m.root.each(m.stride(), &room, f)
}

func (n *node) each(stride int, room *Room, f func(key, value []byte) bool) bool {
	if n.kids == nil {
		return n.leaf.each(stride, room, f)
	}
	for _, kid := range n.kids {
		if kid != nil && !kid.each(stride, room, f) {
			return false
		}
	}
	return true
}

// A cursor of a scan is the first scanBits of a hash: a double holds each cursor exactly.
const scanBits = 52

// Scan calls f for about count of the entries whose hashes are not below a cursor. It returns the next
// cursor: 0 after the last entry.
func (m *Map) Scan(cursor uint64, count int, f func(key, value []byte)) (next uint64) {
	if cursor >= 1<<scanBits {
		return 0
	}
	s := scan{stride: m.stride(), from: cursor << (64 - scanBits), left: count, f: f}
	s.node(m.root, 0, 0)
	return s.next >> (64 - scanBits)
}

// scan is a call of [Map.Scan].
type scan struct {
	stride int
	from   uint64 // the hashes below are done
	left   int
	next   uint64 // where it has ended, 0: at the end
	room   Room
	f      func(key, value []byte)
}

// node scans the entries of a node whose hashes begin with prefix. It reports whether to go on.
func (s *scan) node(n *node, prefix uint64, depth int) bool {
	if n.kids == nil {
		n.leaf.each(s.stride, &s.room, func(k, v []byte) bool {
			if hashOf(k)>>(64-scanBits) >= s.from>>(64-scanBits) {
				s.f(k, v)
				s.left--
			}
			return true
		})
		if s.left > 0 {
			return true
		}
		s.next = prefix + width(depth) // 0 behind the last leaf
		return false
	}
	for i, kid := range n.kids {
		first := prefix + uint64(i)*width(depth+1)
		if last := first + width(depth+1) - 1; kid == nil || last < s.from {
			continue
		}
		if !s.node(kid, first, depth+1) {
			return false
		}
	}
	return true
}

// width is how many hashes a node of a depth has. All hashes are 2^64, which is 0 here.
func width(depth int) uint64 {
	if depth == 0 {
		return 0
	}
	return 1 << (64 - digit*depth)
}

// Clone returns a copy that changes independently. Both share their nodes until one of them changes. It may
// be called while others read the receiver, but not while they change it.
func (m *Map) Clone() *Map {
	c := *m
	c.owner, m.owner = &owner{}, &owner{}
	return &c
}
