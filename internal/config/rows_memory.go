package config

import (
	"math"

	"cellserver/internal/config/value"
)

var memoryDirectives = group("Memory", "",
	field("maxmemory", value.Memory(0, math.MaxInt64), "0", &fields.MaxMemory,
		"Maximum number of bytes that the keys may take; 0 is no limit."),
	field("maxmemory-policy", value.Enum(VolatileLRU, VolatileLFU, VolatileRandom, VolatileTTL,
		AllKeysLRU, AllKeysLFU, AllKeysRandom, NoEviction),
		"noeviction", &fields.MaxMemoryPolicy,
		"Which keys are evicted at maxmemory; `noeviction` refuses writes instead."),
	field("maxmemory-samples", value.Int(1, maxInt), "5", &fields.MaxMemorySamples,
		"Number of keys compared for each eviction."),
	field("lfu-log-factor", value.Int(0, maxInt), "10", &fields.LFULogFactor,
		"How slowly a key's LFU counter grows; a larger number is slower."),
	field("lfu-decay-time", value.Int(0, maxInt), "1", &fields.LFUDecayTime,
		"Minutes until the LFU counter decreases by one; 0 is never."),
	field("active-expire-effort", value.Int(1, 10), "1", &fields.ActiveExpireEffort,
		"How much work a background round does to delete expired keys."),
	field("hash-max-listpack-entries", value.Int64(0, math.MaxInt64), "512", &fields.HashMaxListpackEntries,
		"Maximum number of fields of a hash in the compact encoding, up to 2048.").alias("hash-max-ziplist-entries"),
	field("hash-max-listpack-value", value.Memory(0, math.MaxInt64), "64", &fields.HashMaxListpackValue,
		"Longest field or value, in bytes, of a hash in the compact encoding.").alias("hash-max-ziplist-value"),
	field("list-max-listpack-size", value.Int(minInt, maxInt), "-2", &fields.ListMaxListpackSize,
		"Maximum number of elements of a block of a list. If it is negative, it is a maximum size: -1 "+
			"is 4 kB, -2 is 8 kB, up to -5. A block never has more than 128 elements or 1 kB.").
		alias("list-max-ziplist-size"),
	field("set-max-intset-entries", value.Int64(0, math.MaxInt64), "512", &fields.SetMaxIntsetEntries,
		"Maximum number of members of a set of integers in the compact encoding, up to 2048."),
	field("zset-max-listpack-entries", value.Int64(0, math.MaxInt64), "128", &fields.ZSetMaxListpackEntries,
		"Maximum number of members of a sorted set in the compact encoding, up to 2048.").alias("zset-max-ziplist-entries"),
	field("zset-max-listpack-value", value.Memory(0, math.MaxInt64), "64", &fields.ZSetMaxListpackValue,
		"Longest member, in bytes, of a sorted set in the compact encoding.").alias("zset-max-ziplist-value"),
)
