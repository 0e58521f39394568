package hash

import (
	"cellserver/store/packed"
	"cellserver/store/trie"
	"cellserver/store/value"
)

// Set gives a field its value: HSET.
var Set = &value.Change{Verb: "HSET", Args: "vm", Repeats: true, Makes: true, Apply: set}

// Delete removes a field: HDEL.
var Delete = &value.Change{Verb: "HDEL", Args: "v", Repeats: true, Apply: remove}

// Type describes hashes.
var Type = &value.Type{Kind: value.Hash, Changes: []*value.Change{Set, Delete}, Whole: Set, Each: each}

func each(c value.Collection, f func(*value.Operands) bool) {
	var o value.Operands
	Of(c).Each(func(field, val []byte) bool {
		o.Value, o.More = field, val
		return f(&o)
	})
}

func set(c value.Collection, o *value.Operands, l *value.Limits) (value.Collection, value.Outcome) {
	h := Of(c)
	if h.large != nil {
		return c, value.Outcome{Changed: true, Added: h.large.Set(o.Value, o.More)}
	}
	var buf [2 * scratchBytes]byte
	if h.small == nil {
		return first(o, l, buf[:0])
	}
	if tooLong(o, l) || h.small.List.Size()+len(o.Value)+len(o.More) > packed.MostBytes {
		return h.small.setLarge(o)
	}
	list := &h.small.List
	field := packed.AppendElement(buf[:0], o.Value)
	if at := list.Find(field, 2); at >= 0 {
		at += len(field)
		val := packed.AppendElement(field[:0], o.More)
		return smallOf(list.Replace(at, list.Next(at), val, 1, 1)), value.Outcome{Changed: true}
	}
	if h.small.Len() >= l.HashEntries {
		return h.small.setLarge(o)
	}
	list = list.Append(packed.AppendElement(field, o.More), 2)
	return smallOf(list), value.Outcome{Changed: true, Added: true}
}

// first returns a hash of one field.
func first(o *value.Operands, l *value.Limits, scratch []byte) (value.Collection, value.Outcome) {
	if l.HashEntries < 1 || tooLong(o, l) {
		return smallOf(packed.New()).setLarge(o)
	}
	elements := packed.AppendElement(packed.AppendElement(scratch, o.Value), o.More)
	return smallOf(packed.Of(elements, 2)), value.Outcome{Changed: true, Added: true}
}

func tooLong(o *value.Operands, l *value.Limits) bool {
	return max(len(o.Value), len(o.More)) > l.HashValue
}

// setLarge returns the large form with one more change.
func (s *small) setLarge(o *value.Operands) (value.Collection, value.Outcome) {
	g := &large{trie.New(false)}
	s.each(func(field, val []byte) bool {
		g.Set(field, val)
		return true
	})
	return g, value.Outcome{Changed: true, Added: g.Set(o.Value, o.More)}
}

func remove(c value.Collection, o *value.Operands, _ *value.Limits) (value.Collection, value.Outcome) {
	h := Of(c)
	if h.large != nil {
		return c, value.Outcome{Changed: h.large.Remove(o.Value)}
	}
	var buf [scratchBytes]byte
	list := &h.small.List
	at := list.Find(packed.AppendElement(buf[:0], o.Value), 2)
	if at < 0 {
		return c, value.Outcome{}
	}
	return smallOf(list.Remove(at, list.Next(list.Next(at)), 2)), value.Outcome{Changed: true}
}
