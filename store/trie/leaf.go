package trie

import (
	"bytes"
	"slices"

	"cellserver/store/packed"
)

// leaf has few entries. The short ones are in a block, and the long ones beside it, because a change of a
// block moves its bytes.
type leaf struct {
	block *packed.List // keys, each with its value if the map has values
	long  []entry
}

// entry is an entry that is too long for a block. Nobody changes its bytes.
type entry struct{ key, value []byte }

const (
	longest    = 512 // bytes of a key and its value in a block
	entryBytes = 48
)

var emptyLeaf = packed.New().Bytes()

func newLeaf() leaf { return leaf{block: packed.New()} }

func (e *entry) bytes() int64 { return entryBytes + int64(cap(e.key)+cap(e.value)) }

// bytes returns the memory of the leaf.
func (l *leaf) bytes() int64 {
	n := l.block.Bytes()
	for i := range l.long {
		n += l.long[i].bytes()
	}
	return n
}

func (l *leaf) clone() leaf { return leaf{l.block.Clone(), slices.Clone(l.long)} }

// findLong returns the index of a key among the long entries, or -1.
func (l *leaf) findLong(key []byte) int {
	return slices.IndexFunc(l.long, func(e entry) bool { return bytes.Equal(e.key, key) })
}

// dropLong removes a long entry. It copies the others, because their memory does not shrink otherwise.
func (l *leaf) dropLong(i int) { l.long = slices.Concat(l.long[:i], l.long[i+1:]) }

// find returns the offset of a key in the block, or -1.
func (l *leaf) find(key []byte, stride int) int {
	if len(key) > longest {
		return -1
	}
	var buf [longest + 8]byte
	return l.block.Find(packed.AppendElement(buf[:0], key), stride)
}

func (l *leaf) get(key []byte, stride int, scratch []byte) (value []byte, ok bool) {
	if at := l.find(key, stride); at >= 0 {
		if stride == 2 {
			value = l.block.Text(l.block.Next(at), scratch)
		}
		return value, true
	}
	if i := l.findLong(key); i >= 0 {
		return l.long[i].value, true
	}
	return nil, false
}

// each calls f for every entry until f returns false.
func (l *leaf) each(stride int, room *Room, f func(key, value []byte) bool) bool {
	b := l.block
	for at, end := b.First(), b.End(); at < end; {
		key, value := b.Text(at, room.Key[:0]), []byte(nil)
		at = b.Next(at)
		if stride == 2 {
			value = b.Text(at, room.Value[:0])
			at = b.Next(at)
		}
		if !f(key, value) {
			return false
		}
	}
	for i := range l.long {
		if !f(l.long[i].key, l.long[i].value) {
			return false
		}
	}
	return true
}

// remove removes a key.
func (l *leaf) remove(key []byte, stride int) {
	if at := l.find(key, stride); at >= 0 {
		end := at
		for range stride {
			end = l.block.Next(end)
		}
		l.block = l.block.Remove(at, end, stride)
		return
	}
	if i := l.findLong(key); i >= 0 {
		l.dropLong(i)
	}
}

// set gives a key its value. It reports whether the key is new.
func (l *leaf) set(key, value []byte, stride int) (added bool) {
	short := len(key)+len(value) <= longest
	if at := l.find(key, stride); at >= 0 {
		if stride == 1 {
			return false
		}
		if short {
			l.setValue(at, value)
			return false
		}
		l.remove(key, stride)
	} else if i := l.findLong(key); i >= 0 {
		if !short {
			l.long[i].value = bytes.Clone(value)
			return false
		}
		l.dropLong(i)
	} else {
		added = true
	}
	if short {
		l.add(key, value, stride)
	} else {
		l.long = append(l.long, entry{bytes.Clone(key), bytes.Clone(value)})
	}
	return added
}

// setValue replaces the value of the key at an offset of the block.
func (l *leaf) setValue(at int, value []byte) {
	var buf [longest + 8]byte
	at = l.block.Next(at)
	l.block = l.block.Replace(at, l.block.Next(at), packed.AppendElement(buf[:0], value), 1, 1)
}

// add adds a short entry to the block, which does not have it.
func (l *leaf) add(key, value []byte, stride int) {
	var buf [longest + 16]byte
	elements := packed.AppendElement(buf[:0], key)
	if stride == 2 {
		elements = packed.AppendElement(elements, value)
	}
	l.block = l.block.Append(elements, stride)
}

// put adds an entry that the leaf does not have. It takes the bytes of a long one as they are.
func (l *leaf) put(key, value []byte, stride int) {
	if len(key)+len(value) <= longest {
		l.add(key, value, stride)
	} else {
		l.long = append(l.long, entry{key, value})
	}
}
