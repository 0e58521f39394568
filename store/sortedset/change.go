package sortedset

import (
	"slices"

	"cellserver/store/packed"
	"cellserver/store/value"
)

// Add gives a member its score, which must not be NaN: ZADD.
var Add = &value.Change{Verb: "ZADD", Args: "sv", Repeats: true, Makes: true, Apply: add}

// Delete removes a member: ZREM.
var Delete = &value.Change{Verb: "ZREM", Args: "v", Repeats: true, Apply: remove}

// Type describes sorted sets.
var Type = &value.Type{Kind: value.Sorted, Changes: []*value.Change{Add, Delete}, Whole: Add, Each: each}

func each(c value.Collection, f func(*value.Operands) bool) {
	var o value.Operands
	Of(c).Range(0, c.Len(), false, func(score float64, member []byte) bool {
		o.Score, o.Value = score, member
		return f(&o)
	})
}

func add(c value.Collection, o *value.Operands, l *value.Limits) (value.Collection, value.Outcome) {
	z := Of(c)
	if z.large == nil {
		if z.small == nil {
			z.small = smallOf(packed.New())
		}
		if now, did := z.small.set(o.Score, o.Value, l); now != nil {
			return now, did
		}
		z.large = largeOf(z.small.items())
	}
	added, changed := z.large.set(o.Score, o.Value)
	return z.large, value.Outcome{Changed: changed, Added: added}
}

func remove(c value.Collection, o *value.Operands, _ *value.Limits) (value.Collection, value.Outcome) {
	z := Of(c)
	if z.large != nil {
		return c, value.Outcome{Changed: z.large.remove(borrow(o.Value))}
	}
	now, removed := z.small.remove(o.Value)
	return now, value.Outcome{Changed: removed}
}

// RemoveRange takes the items of ranks from … to-1 out of a set, and returns the set, which may be another
// one now. It calls removed for each of their members, which is valid until removed returns.
func RemoveRange(c value.Collection, from, to int, removed func(member []byte)) value.Collection {
	z := Of(c)
	if z.large == nil {
		return z.small.removeRange(from, to, removed)
	}
	return z.large.removeRange(from, to, removed)
}

// NewOf returns a set of the items. If a member comes twice, its last score counts. Scores must not be NaN.
func NewOf(items []Item, l *value.Limits) value.Collection {
	items = lastOfEach(items)
	if !slices.IsSortedFunc(items, compareItems) {
		slices.SortFunc(items, compareItems)
	}
	longest, size := 0, 0
	for i := range items {
		longest = max(longest, len(items[i].Member))
		size += len(items[i].Member)
	}
	if len(items) > l.ZSetEntries || longest > l.ZSetValue || size > packed.MostBytes/2 {
		return largeOf(items)
	}
	return smallOfItems(items)
}

// lastOfEach returns a copy of the items that keeps only the last item of each member.
func lastOfEach(items []Item) []Item {
	last := make(map[string]int, len(items))
	for i, it := range items {
		last[it.Member] = i
	}
	own := make([]Item, 0, len(last))
	for i, it := range items {
		if last[it.Member] == i {
			own = append(own, it)
		}
	}
	return own
}
