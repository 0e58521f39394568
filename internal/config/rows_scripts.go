package config

import "cellserver/internal/config/value"

var scriptDirectives = group("Scripts", "",
	field("busy-reply-threshold", value.Int64(0, maxLong), "5000", &fields.BusyReplyThreshold,
		"Milliseconds for which commands wait for a script that uses their keys. Then they get the error BUSY, and SCRIPT KILL may end the script. 0 is never.").alias("lua-time-limit"),
	field("script-error-style", value.Enum(ScriptErrorsOf7, ScriptErrorsOf6), "redis7",
		&fields.ScriptErrorStyle,
		"The texts of errors of scripts: those of Redis 7, or those of Redis 6, which some libraries read."),
	field("script-memory-limit", value.Memory(1<<20, 1<<30), "268435456", &fields.ScriptMemoryLimit,
		"Bytes of strings and tables that all running scripts together may make, even if they no longer use "+
			"them. Each script may make another 128 KiB."),
)
