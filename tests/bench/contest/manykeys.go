package contest

import (
	"strings"

	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"
)

// ManyKeys fills a server with keys that expire after an hour.
func ManyKeys(k server.Kind, addr, prefix string, keys int) load.Load {
	if !k.Throttles {
		return load.Filler(addr, keys, func(b []byte, i int) []byte {
			return load.Command(b, "SET", load.Key(prefix, i), "1700000000000000000", "PX", "3600000")
		}, "+OK\r\n")
	}
	return load.Filler(addr, keys, func(b []byte, i int) []byte {
		return load.Command(b, "CL.THROTTLE", load.Key(prefix, i), "1000000", "1", "60", "60")
	}, load.ThrottleReply(0, 1_000_001, 1_000_001-60, -1, 3600))
}

// ManyKeysLoad is the workload on a server with this number of keys. The server allows each command, and the command
// writes.
func ManyKeysLoad(k server.Kind, keys int) Workload {
	if !k.Throttles {
		return Workload{Name: Yardstick, Command: strings.Fields("INCR key:" + random), keys: keys, answered: integer}
	}
	return Workload{Name: "CL.THROTTLE", Command: strings.Fields("CL.THROTTLE key:" + random + " 1000000 1 60"), keys: keys, throttle: true, answered: decides(allowed)}
}
