package config

import (
	"math"

	"cellserver/internal/config/value"
)

var memoryDirectives = group("Memory", "",
	field("maxmemory", value.Memory(0, math.MaxInt64), "0", func(c *Config) *int64 { return &c.MaxMemory },
		"Bytes the keys may take; 0 is no bound."),
	field("maxmemory-policy", value.Enum(VolatileLRU, VolatileLFU, VolatileRandom, VolatileTTL,
		AllKeysLRU, AllKeysLFU, AllKeysRandom, NoEviction),
		"noeviction", func(c *Config) *MaxMemoryPolicy { return &c.MaxMemoryPolicy },
		"Which keys go when maxmemory is reached; `noeviction` refuses writes instead."),
	field("maxmemory-samples", value.Int(1, maxInt), "5", func(c *Config) *int { return &c.MaxMemorySamples },
		"Keys looked at to find the best one to evict."),
	field("lfu-log-factor", value.Int(0, maxInt), "10", func(c *Config) *int { return &c.LFULogFactor },
		"How slowly a key's frequency counter grows."),
	field("lfu-decay-time", value.Int(0, maxInt), "1", func(c *Config) *int { return &c.LFUDecayTime },
		"Minutes after which that counter loses one; 0 is never."),
	field("active-expire-effort", value.Int(1, 10), "1", func(c *Config) *int { return &c.ActiveExpireEffort },
		"How much work a background round may put into expired keys."),
	field("zset-max-listpack-entries", value.Int64(0, math.MaxInt64), "128", func(c *Config) *int64 { return &c.ZSetMaxListpackEntries },
		"Members up to which a sorted set is held compactly.").alias("zset-max-ziplist-entries"),
	field("zset-max-listpack-value", value.Memory(0, math.MaxInt64), "64", func(c *Config) *int64 { return &c.ZSetMaxListpackValue },
		"Length of a member up to which its sorted set is held compactly.").alias("zset-max-ziplist-value"),
)
