package config

import (
	"math"

	"cellserver/internal/config/value"
)

var memoryDirectives = group("Memory",
	field("maxmemory", value.Memory(0, math.MaxInt64), "0", &fields.MaxMemory),
	field("maxmemory-policy", value.Enum(VolatileLRU, VolatileLFU, VolatileRandom, VolatileTTL,
		AllKeysLRU, AllKeysLFU, AllKeysRandom, NoEviction),
		"noeviction", &fields.MaxMemoryPolicy),
	field("maxmemory-samples", value.Int(1, maxInt), "5", &fields.MaxMemorySamples),
	field("lfu-log-factor", value.Int(0, maxInt), "10", &fields.LFULogFactor),
	field("lfu-decay-time", value.Int(0, maxInt), "1", &fields.LFUDecayTime),
	field("active-expire-effort", value.Int(1, 10), "1", &fields.ActiveExpireEffort),
	field("hash-max-listpack-entries", value.Int64(0, math.MaxInt64), "512",
		&fields.HashMaxListpackEntries).alias("hash-max-ziplist-entries"),
	field("hash-max-listpack-value", value.Memory(0, math.MaxInt64), "64",
		&fields.HashMaxListpackValue).alias("hash-max-ziplist-value"),
	field("list-max-listpack-size", value.Int(minInt, maxInt), "-2", &fields.ListMaxListpackSize).
		alias("list-max-ziplist-size"),
	field("set-max-intset-entries", value.Int64(0, math.MaxInt64), "512", &fields.SetMaxIntsetEntries),
	field("zset-max-listpack-entries", value.Int64(0, math.MaxInt64), "128",
		&fields.ZSetMaxListpackEntries).alias("zset-max-ziplist-entries"),
	field("zset-max-listpack-value", value.Memory(0, math.MaxInt64), "64",
		&fields.ZSetMaxListpackValue).alias("zset-max-ziplist-value"),
)
