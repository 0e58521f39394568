package sortedset

import "cellserver/store/value"

// Add gives a member its score: ZADD.
var Add = &value.Change{Verb: "ZADD", Args: "sv", Repeats: true, Makes: true, Apply: add}

// Delete removes a member: ZREM.
var Delete = &value.Change{Verb: "ZREM", Args: "v", Repeats: true, Apply: remove}

// Type describes sorted sets.
var Type = &value.Type{Kind: value.Sorted, Changes: []*value.Change{Add, Delete}, Whole: Add, Each: each}

// LimitsOf returns the limits of sorted sets.
func LimitsOf(l *value.Limits) Limits { return Limits{l.ZSetEntries, l.ZSetValue} }

func each(c value.Collection, f func(*value.Operands) bool) {
	z := c.(*Set)
	var o value.Operands
	z.Range(0, z.Len(), false, func(it Item) bool {
		o.Score, o.Value = it.Score, bytesOf(it.Member)
		return f(&o)
	})
}

func add(c value.Collection, o *value.Operands, l *value.Limits) (value.Collection, value.Outcome) {
	z, _ := c.(*Set)
	if z == nil {
		z = New()
	}
	added, changed := z.Set(o.Score, o.Value, LimitsOf(l))
	return z, value.Outcome{Changed: changed, Added: added}
}

func remove(c value.Collection, o *value.Operands, _ *value.Limits) (value.Collection, value.Outcome) {
	return c, value.Outcome{Changed: c.(*Set).Remove(o.Value)}
}
