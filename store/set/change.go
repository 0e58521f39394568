package set

import (
	"cellserver/internal/decimal"
	"cellserver/store/packed"
	"cellserver/store/trie"
	"cellserver/store/value"
)

// Add adds a member: SADD.
var Add = &value.Change{Verb: "SADD", Args: "v", Repeats: true, Makes: true, Apply: add}

// Delete removes a member: SREM.
var Delete = &value.Change{Verb: "SREM", Args: "v", Repeats: true, Apply: remove}

// Type describes sets.
var Type = &value.Type{Kind: value.Set, Changes: []*value.Change{Add, Delete}, Whole: Add, Each: each}

func each(c value.Collection, f func(*value.Operands) bool) {
	var o value.Operands
	Of(c).Each(func(member []byte) bool {
		o.Value = member
		return f(&o)
	})
}

// added is the outcome of a new member.
var added = value.Outcome{Changed: true, Added: true}

func add(c value.Collection, o *value.Operands, l *value.Limits) (value.Collection, value.Outcome) {
	switch s := Of(c); {
	case s.large != nil:
		// A member that is there stays as it is, also in maps that share its node.
		if s.Has(o.Value) || !s.large.Set(o.Value, nil) {
			return c, value.Outcome{}
		}
		return c, added
	case s.small != nil:
		return s.small.add(o.Value)
	case s.ints != nil:
		return s.ints.add(o.Value, l)
	}
	if _, ok := decimal.Parse(o.Value); ok && l.SetIntEntries > 0 {
		return newInts(0, 2).add(o.Value, l)
	}
	return smallOf(packed.New()).add(o.Value)
}

func (s *ints) add(member []byte, l *value.Limits) (value.Collection, value.Outcome) {
	n, ok := decimal.Parse(member)
	if ok {
		i, found := s.find(n)
		if found {
			return s, value.Outcome{}
		}
		if int(s.count) < l.SetIntEntries {
			return s.insert(i, n), added
		}
	}
	if s.count < maxSmallMembers {
		grown := packed.New()
		s.each(func(member []byte) bool {
			var buf [scratchBytes]byte
			grown = grown.Append(packed.AppendElement(buf[:0], member), 1)
			return true
		})
		return smallOf(grown).add(member)
	}
	return enlarged(s.each, member), added
}

func (s *small) add(member []byte) (value.Collection, value.Outcome) {
	if len(member) > maxSmallMember {
		return enlarged(s.each, member), added
	}
	var buf [scratchBytes]byte
	element := packed.AppendElement(buf[:0], member)
	switch {
	case s.List.Find(element, 1) >= 0:
		return s, value.Outcome{}
	case s.Len() >= maxSmallMembers:
		return enlarged(s.each, member), added
	}
	return smallOf(s.List.Append(element, 1)), added
}

// enlarged returns the large form of members and one more.
func enlarged(each func(func([]byte) bool), member []byte) *large {
	g := &large{trie.New(true)}
	each(func(old []byte) bool {
		g.Set(old, nil)
		return true
	})
	g.Set(member, nil)
	return g
}

func remove(c value.Collection, o *value.Operands, _ *value.Limits) (value.Collection, value.Outcome) {
	switch s := Of(c); {
	case s.large != nil:
		return c, value.Outcome{Changed: s.large.Remove(o.Value)}
	case s.small != nil:
		if len(o.Value) > maxSmallMember {
			return c, value.Outcome{}
		}
		var buf [scratchBytes]byte
		list := &s.small.List
		if at := list.Find(packed.AppendElement(buf[:0], o.Value), 1); at >= 0 {
			return smallOf(list.Remove(at, list.Next(at), 1)), value.Outcome{Changed: true}
		}
	case s.ints != nil:
		if n, ok := decimal.Parse(o.Value); ok {
			if i, found := s.ints.find(n); found {
				return s.ints.remove(i), value.Outcome{Changed: true}
			}
		}
	}
	return c, value.Outcome{}
}
