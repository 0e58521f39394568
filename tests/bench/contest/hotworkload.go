package contest

import (
	"strings"

	"cellserver/tests/bench/load"
)

// HotClients is how many clients share a key.
const HotClients = 8

// hotKeyReply allows one more action of a quota of seven digits. The quota refills faster than the clients use it.
var hotKeyReply = load.ThrottleReply(0, 9_999_999, 9_999_998, -1, 1)

// throttling is a script of allowed requests. The clients share the given number of keys.
func throttling(keys int) func(connection int) load.Script {
	// The remaining quota depends on the other clients, but its number of digits does not.
	reply := strings.Replace(hotKeyReply, ":9999998", ":???????", 1)
	return func(connection int) load.Script {
		key := load.Key("hot:", connection%keys)
		return func(request, expected []byte, _ int) ([]byte, []byte) {
			return load.Command(request, "CL.THROTTLE", key, "9999998", "100000000", "1"), append(expected, reply...)
		}
	}
}

// OneKey and KeysEach are the two sides of the comparison.
var (
	OneKey   = Workload{Name: "8 clients, one key", Script: throttling(1), throttle: true}
	KeysEach = Workload{Name: "8 clients, a key each", Script: throttling(HotClients), throttle: true}
)
