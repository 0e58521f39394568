package store

import (
	"fmt"
	"slices"
)

// Policy says which keys [Store.Evict] may remove, and which of them go first.
type Policy uint8

// The policies of Redis's maxmemory-policy.
const (
	NoEviction Policy = iota
	AllKeysLRU
	AllKeysLFU
	AllKeysRandom
	VolatileLRU
	VolatileLFU
	VolatileRandom
	VolatileTTL
)

var policyNames = [...]string{
	NoEviction: "noeviction",
	AllKeysLRU: "allkeys-lru", AllKeysLFU: "allkeys-lfu", AllKeysRandom: "allkeys-random",
	VolatileLRU: "volatile-lru", VolatileLFU: "volatile-lfu", VolatileRandom: "volatile-random",
	VolatileTTL: "volatile-ttl",
}

// ParsePolicy returns the policy of a maxmemory-policy name, as in redis.conf.
func ParsePolicy(name string) (Policy, error) {
	if i := slices.Index(policyNames[:], name); i >= 0 {
		return Policy(i), nil
	}
	return 0, fmt.Errorf("unknown eviction policy %q", name)
}

// String returns the policy's name in redis.conf.
func (p Policy) String() string { return policyNames[p] }

// Volatile reports whether the policy removes only keys with an expiry.
func (p Policy) Volatile() bool { return p >= VolatileLRU }

// LFU reports whether the policy needs use counters ([Store.UseLFU]).
func (p Policy) LFU() bool { return p == AllKeysLFU || p == VolatileLFU }
