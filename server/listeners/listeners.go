package listeners

import (
	"iter"
	"slices"
	"strings"

	"cellserver/commands"
)

// List is a sorted list of names, each with the connections that listen to it. The zero List is
// empty. Add and Remove take O(log n) time for n names. That matters because one command may have
// many thousands of names, and other clients wait for the owner's lock.
type List struct {
	blocks [][]*Name // sorted; each block has at least one name and at most blockSize
	len    int
	bytes  int // of all names
}

// blockSize bounds how many names Add and Remove move.
const blockSize = 256

// Name is a pattern or a prefix that a connection listens to.
type Name struct {
	Name  string
	Conns []*commands.Conn
}

// Len returns the number of names.
func (l *List) Len() int { return l.len }

// Bytes returns the length of all names together.
func (l *List) Bytes() int { return l.bytes }

// All returns every name in order. The caller must not change the list meanwhile.
func (l *List) All() iter.Seq[*Name] {
	return func(yield func(*Name) bool) {
		for _, block := range l.blocks {
			for _, x := range block {
				if !yield(x) {
					return
				}
			}
		}
	}
}

// find returns the place of a name. For an absent name, it is the place at which Add inserts it.
// The block may be len(l.blocks) for an empty list only; i may be the block's length.
func (l *List) find(name string) (block, i int, found bool) {
	block, found = slices.BinarySearchFunc(l.blocks, name, func(b []*Name, name string) int { return strings.Compare(b[0].Name, name) })
	if found || len(l.blocks) == 0 {
		return block, 0, found
	}
	block = max(block-1, 0)
	i, found = slices.BinarySearchFunc(l.blocks[block], name, func(x *Name, name string) int { return strings.Compare(x.Name, name) })
	return block, i, found
}

// Add adds a connection to a name. The connection must not listen to the name already.
func (l *List) Add(c *commands.Conn, name string) {
	block, i, found := l.find(name)
	if found {
		x := l.blocks[block][i]
		x.Conns = append(x.Conns, c)
		return
	}
	l.len++
	l.bytes += len(name)
	added := &Name{Name: name, Conns: []*commands.Conn{c}}
	if len(l.blocks) == 0 {
		l.blocks = [][]*Name{{added}}
		return
	}
	all := slices.Insert(l.blocks[block], i, added)
	l.blocks[block] = all
	if half := len(all) / 2; len(all) > blockSize {
		l.blocks = slices.Insert(l.blocks, block+1, slices.Clone(all[half:]))
		l.blocks[block] = slices.Delete(all, half, len(all))
	}
}

// Remove removes a connection from a name. The connection must listen to the name.
func (l *List) Remove(c *commands.Conn, name string) {
	block, i, _ := l.find(name)
	x := l.blocks[block][i]
	if x.Conns = Without(x.Conns, c); len(x.Conns) > 0 {
		return
	}
	l.len--
	l.bytes -= len(name)
	l.blocks[block] = slices.Delete(l.blocks[block], i, i+1)
	if len(l.blocks[block]) == 0 {
		l.blocks = slices.Delete(l.blocks, block, block+1)
	}
}

// Prefixes appends the names that a key begins with, the longest one first.
func (l *List) Prefixes(all []*Name, key string) []*Name {
	for {
		x := l.before(key)
		if x == nil {
			return all
		}
		common := commonPrefix(x.Name, key)
		if common == len(x.Name) {
			all = append(all, x)
			if common--; common < 0 {
				return all
			}
		}
		// A longer prefix of the key would be after x and not after the key, and before returns
		// the last such name.
		key = key[:common]
	}
}

// before returns the last name that is not after a key, or nil.
func (l *List) before(key string) *Name {
	block, i, found := l.find(key)
	switch {
	case found:
		return l.blocks[block][i]
	case i > 0:
		return l.blocks[block][i-1]
	}
	return nil // the key is before the first name
}

// commonPrefix returns the length of the longest common prefix of two strings.
func commonPrefix(a, b string) int {
	n := min(len(a), len(b))
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// Without removes a connection from a slice, in place. The slice may lack the connection.
func Without(conns []*commands.Conn, c *commands.Conn) []*commands.Conn {
	return slices.DeleteFunc(conns, func(o *commands.Conn) bool { return o == c })
}
