package commands

import (
	"math"

	"cellserver/store"
)

// KeyWait is what a command waits for.
type KeyWait struct {
	Keys  [][]byte
	Kind  store.Kind // the command takes from a value of this kind
	Until int64      // logical time, Unix nanoseconds; math.MaxInt64 for no end
	// Words returns the command that takes from one of the keys. The key then has a value.
	Words func(key []byte) [][]byte
}

const errWaitRange Error = "ERR timeout is out of range"

// WaitUntil parses the seconds that a command waits from now on, 0 for no end. It returns the logical time of
// the end. As in Redis, a part of a millisecond is a whole one. Errors have the texts of Redis.
func WaitUntil(seconds []byte, now int64) (int64, error) {
	f, ok := ParseFloat(seconds)
	millis := math.Ceil(f * 1000)
	switch {
	case !ok:
		return 0, Error("ERR timeout is not a float or out of range")
	case millis >= math.MaxInt64:
		return 0, errWaitRange
	case millis < 0:
		return 0, errTimeoutNeg
	case millis == 0:
		return math.MaxInt64, nil
	case int64(millis) > math.MaxInt64-now/1e6:
		return 0, errWaitRange
	case int64(millis) > (math.MaxInt64-now)/1e6:
		return math.MaxInt64, nil
	}
	return now + int64(millis)*1e6, nil
}
