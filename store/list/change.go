package list

import (
	"cellserver/store/packed"
	"cellserver/store/value"
)

// All ways to change a list. An index counts from the first element, or from behind if it is negative, as in
// Redis.
var (
	// PushFirst adds an element before all others: LPUSH.
	PushFirst = &value.Change{Verb: "LPUSH", Args: "v", Repeats: true, Makes: true, Apply: pushFirst}
	// PushLast adds an element behind all others: RPUSH.
	PushLast = &value.Change{Verb: "RPUSH", Args: "v", Repeats: true, Makes: true, Apply: pushLast}
	// PopFirst removes the first Int elements: LPOP.
	PopFirst = &value.Change{Verb: "LPOP", Args: "i", Apply: popFirst}
	// PopLast removes the last Int elements: RPOP.
	PopLast = &value.Change{Verb: "RPOP", Args: "i", Apply: popLast}
	// Set replaces the element of the index Int: LSET.
	Set = &value.Change{Verb: "LSET", Args: "iv", Apply: set}
	// Insert puts More before or behind the first element that equals Value: LINSERT.
	Insert = &value.Change{Verb: "LINSERT", Args: "wvm", Apply: insert}
	// Remove removes elements that equal Value: the first Int, the last -Int, or all if Int is 0: LREM.
	Remove = &value.Change{Verb: "LREM", Args: "iv", Apply: remove}
	// Trim keeps the elements from the index Int to the index End: LTRIM.
	Trim = &value.Change{Verb: "LTRIM", Args: "ie", Apply: trim}
)

// Type describes lists.
var Type = &value.Type{
	Kind: value.List, Changes: []*value.Change{PushFirst, PushLast, PopFirst, PopLast, Set, Insert, Remove, Trim},
	Whole: PushLast, Each: each, Once: true,
}

func each(c value.Collection, f func(*value.Operands) bool) {
	var o value.Operands
	Of(c).Each(func(element []byte) bool {
		o.Value = element
		return f(&o)
	})
}

var (
	changed = value.Outcome{Changed: true}
	added   = value.Outcome{Changed: true, Added: true}
)

func pushFirst(c value.Collection, o *value.Operands, l *value.Limits) (value.Collection, value.Outcome) {
	return put(c, 0, 0, o.Value, l), added
}

func pushLast(c value.Collection, o *value.Operands, l *value.Limits) (value.Collection, value.Outcome) {
	return put(c, Of(c).Len(), 0, o.Value, l), added
}

// put puts an element before number i, or in its place if removed is 1.
func put(c value.Collection, i, removed int, text []byte, l *value.Limits) value.Collection {
	var buf [scratchBytes]byte
	p := place{i, removed, packed.AppendElement(buf[:0], text), limitsOf(l)}
	switch c := c.(type) {
	case *large:
		c.put(&p)
		return c
	case *small:
		if p.fits(&c.List) {
			return smallOf(p.into(&c.List))
		}
		g := &large{owner: &owner{}}
		g.root = g.leaf(&c.List)
		g.put(&p)
		return g
	}
	return smallOf(packed.Of(p.element, 1))
}

func popFirst(c value.Collection, o *value.Operands, _ *value.Limits) (value.Collection, value.Outcome) {
	return cut(c, o.Int, 0)
}

func popLast(c value.Collection, o *value.Operands, _ *value.Limits) (value.Collection, value.Outcome) {
	return cut(c, 0, o.Int)
}

func trim(c value.Collection, o *value.Operands, _ *value.Limits) (value.Collection, value.Outcome) {
	from, to := Span(o.Int, o.End, c.Len())
	if from == to {
		return cut(c, int64(c.Len()), 0)
	}
	return cut(c, int64(from), int64(c.Len()-to))
}

// cut removes elements at both ends.
func cut(c value.Collection, head, tail int64) (value.Collection, value.Outcome) {
	n := int64(c.Len())
	switch {
	case head <= 0 && tail <= 0:
		return c, value.Outcome{}
	case head >= n || tail >= n || head+tail >= n:
		return smallOf(packed.New()), changed
	}
	if s, ok := c.(*small); ok {
		return smallOf(cutBlock(&s.List, int(head), int(tail))), changed
	}
	g := c.(*large)
	g.root = g.own(g.root)
	g.cut(g.root, int(max(head, 0)), int(max(tail, 0)))
	return g.settled(), changed
}

func set(c value.Collection, o *value.Operands, l *value.Limits) (value.Collection, value.Outcome) {
	i, ok := Index(o.Int, c.Len())
	if !ok {
		return c, value.Outcome{}
	}
	return put(c, i, 1, o.Value, l), changed
}

func insert(c value.Collection, o *value.Operands, l *value.Limits) (value.Collection, value.Outcome) {
	at := -1
	Of(c).Find(o.Value, false, c.Len(), func(i int) bool {
		at = i
		return false
	})
	if at < 0 {
		return c, value.Outcome{}
	}
	if o.Int >= 0 {
		at++
	}
	return put(c, at, 0, o.More, l), added
}

func remove(c value.Collection, o *value.Operands, l *value.Limits) (value.Collection, value.Outcome) {
	var buf [scratchBytes]byte
	n := c.Len()
	r := removal{element: packed.AppendElement(buf[:0], o.Value), left: n, backward: o.Int < 0, limits: limitsOf(l)}
	if most := int64(n); o.Int != 0 && -most < o.Int && o.Int < most {
		r.left = int(max(o.Int, -o.Int))
	}
	if s, ok := c.(*small); ok {
		b := r.block(&s.List)
		return smallOf(b), value.Outcome{Changed: b != &s.List}
	}
	g := c.(*large)
	root := g.removeFrom(g.root, &r)
	switch root {
	case g.root:
		return c, value.Outcome{}
	case nil:
		return smallOf(packed.New()), changed
	}
	g.root = root
	return g.settled(), changed
}
