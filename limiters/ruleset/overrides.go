package ruleset

import (
	"hash/maphash"
	"maps"
	"slices"
)

// overrides are those of a scope, by key. Nil is empty. Published ones never change. They lie in several
// maps, so that a change copies one small map.
type overrides struct {
	parts    [overrideParts]map[string]*override
	count    int
	sizes    [MaxLimits + 1]int // how many overrides have this number of limits
	bytes    int64              // of memory, about
	networks networkCounts      // of the overrides whose keys are networks
}

const overrideParts = 64

var overrideSeed = maphash.MakeSeed()

// part returns the map for a key.
func (o *overrides) part(key []byte) *map[string]*override {
	return &o.parts[maphash.Bytes(overrideSeed, key)%overrideParts]
}

// get returns the override of a key, nil if there is none.
func (o *overrides) get(key []byte) *override {
	if o == nil {
		return nil
	}
	return (*o.part(key))[string(key)]
}

// decides returns the override that decides for a key: its own, or that of the smallest network around it.
func (o *overrides) decides(key []byte) *override {
	one := o.get(key)
	if one != nil || o == nil {
		return one
	}
	for network := range o.networks.aroundKey(key) {
		if one = o.get(network); one != nil {
			return one
		}
	}
	return nil
}

// with returns a copy in which a key has another override, or none if one is nil.
func (o *overrides) with(key string, one *override) *overrides {
	next := &overrides{}
	if o != nil {
		*next = *o
	}
	part := next.part([]byte(key))
	*part = maps.Clone(*part)
	return next.put(key, one)
}

// clone returns a copy that is not published.
func (o *overrides) clone() *overrides {
	next := *o
	for i := range next.parts {
		next.parts[i] = maps.Clone(o.parts[i])
	}
	return &next
}

// put is with for overrides that are not published: it changes them in place.
func (o *overrides) put(key string, one *override) *overrides {
	if o == nil {
		o = &overrides{}
	}
	part := o.part([]byte(key))
	if was := (*part)[key]; was != nil {
		o.add(key, was, -1)
		delete(*part, key)
	}
	if one != nil {
		if *part == nil {
			*part = map[string]*override{}
		}
		(*part)[key] = one
		o.add(key, one, 1)
	}
	return o
}

// add counts an override, or with by = -1 that it is gone.
func (o *overrides) add(key string, one *override, by int) {
	o.count += by
	o.networks.add(key, by)
	o.sizes[len(one.limits)] += by
	o.bytes += int64(by) * (overrideBytes + 2*int64(len(key)+len(one.text)) + bytesOf(one.limits))
}

// len returns the number of overrides.
func (o *overrides) len() int {
	if o == nil {
		return 0
	}
	return o.count
}

// most returns the largest number of limits of an override.
func (o *overrides) most() int {
	if o == nil {
		return 0
	}
	n := MaxLimits
	for ; n > 0 && o.sizes[n] == 0; n-- {
	}
	return n
}

// each calls do for each override.
func (o *overrides) each(do func(key string, one *override)) {
	if o == nil {
		return
	}
	for _, part := range o.parts {
		for key, one := range part {
			do(key, one)
		}
	}
}

// keys returns the keys, sorted.
func (o *overrides) keys() []string {
	all := make([]string, 0, o.len())
	o.each(func(key string, _ *override) { all = append(all, key) })
	slices.Sort(all)
	return all
}

// These are about the bytes that parsed rules take besides their texts.
const (
	ruleBytes     = 512
	limitBytes    = 512
	overrideBytes = 160 // with its place in a map
)

// bytes returns about how much memory a rule takes.
func (r *Rule) bytes() (n int64) {
	n = ruleBytes + int64(len(r.Name)+len(r.text))
	for i := range r.Scopes {
		s := &r.Scopes[i]
		n += bytesOf(s.Limits)
		if s.overrides != nil {
			n += s.overrides.bytes
		}
	}
	return n
}

// bytesOf returns about how much memory limits take.
func bytesOf(limits []Limit) (n int64) {
	for i := range limits {
		n += limitBytes + int64(len(limits[i].Text))
	}
	return n
}
