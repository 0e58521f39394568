package config

import "cellserver/internal/config/value"

var scriptDirectives = group("Scripts",
	field("busy-reply-threshold", value.Int64(0, maxLong), "5000",
		&fields.BusyReplyThreshold).alias("lua-time-limit"),
	field("script-error-style", value.Enum(ScriptErrorsOf7, ScriptErrorsOf6), "redis7",
		&fields.ScriptErrorStyle),
	field("script-memory-limit", value.Memory(1<<20, 1<<30), "268435456", &fields.ScriptMemoryLimit),
)
