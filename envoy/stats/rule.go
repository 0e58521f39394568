package stats

import (
	"math"
	"sync/atomic"
)

// A Counter counts up. Its name stands in the registry.
type Counter struct {
	value   atomic.Uint64
	flushed uint64 // what a sink has got, used by Flush alone
}

// Add adds hits. So many that a request could make the counter wrap count as fewer.
func (c *Counter) Add(n uint64) {
	if n > 0 {
		c.value.Add(min(n, math.MaxUint32))
	}
}

// Value returns the count.
func (c *Counter) Value() uint64 { return c.value.Load() }

// A Rule has the counters of one key.
type Rule struct {
	TotalHits, OverLimit, NearLimit, OverLimitWithLocalCache, WithinLimit, ShadowMode Counter

	kept uint64 // the total hits at the last load, used by Load alone
}

// names are the names of the counters of a rule.
var names = [...]string{
	"total_hits", "over_limit", "near_limit", "over_limit_with_local_cache", "within_limit", "shadow_mode",
}

// each calls a function for each counter of a rule, in the order of names, with its full name.
func (r *Rule) each(key string, f func(name string, c *Counter)) {
	for i, c := range [...]*Counter{
		&r.TotalHits, &r.OverLimit, &r.NearLimit, &r.OverLimitWithLocalCache, &r.WithinLimit, &r.ShadowMode,
	} {
		f(rulePrefix+key+"."+names[i], c)
	}
}

// A Ratio is the part of a limit above which a hit is near the limit.
type Ratio float32

// of returns the hits of a limit that are not near it.
func (r Ratio) of(limit uint32) uint64 {
	near := math.Floor(float64(float32(limit) * float32(r)))
	return uint64(max(0, min(near, math.MaxUint32)))
}

// Pass counts hits that passed, by the counts before and after them.
func (r *Rule) Pass(limit uint32, ratio Ratio, before, after, hits uint64) {
	if near := ratio.of(limit); after > near {
		r.NearLimit.Add(min(hits, after-min(after, max(near, before))))
	}
	r.WithinLimit.Add(hits)
}

// Refuse counts hits that did not all fit. In shadow, those above the limit count as that, too.
func (r *Rule) Refuse(limit uint32, ratio Ratio, shadow bool, before, after, hits uint64) {
	top := uint64(limit)
	over := hits
	if before < top {
		over = after - min(after, top)
		r.NearLimit.Add(top - min(top, max(ratio.of(limit), before)))
	}
	r.OverLimit.Add(over)
	if shadow {
		r.ShadowMode.Add(over)
	}
}
