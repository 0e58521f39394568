package reservation

import "iter"

// Bounds of a record.
const (
	MaxID    = 128 // bytes
	MaxMarks = 8
)

// Numbers are the numbers of an answer. Times are in ns.
type Numbers struct {
	Limited                                  bool
	Limit, Remaining, RetryAfter, ResetAfter int64
}

// Mark is what a limit must know to correct what it counted. Limit identifies the limit in its rule. IsTime
// says that the value is a time in ns since the epoch.
type Mark struct {
	Limit         uint32
	IsTime        bool
	Value, Period int64
}

// Record is one reservation. Times are in ns since the epoch.
type Record struct {
	ID       []byte
	Hash     uint64 // of the keys; 0 for one key
	At, End  int64  // it was made at At; from End on no settlement is possible
	Quantity int64
	Settled  bool
	Releases bool    // it is given back at its end, unless it is settled
	Reserved Numbers // the answer to the reservation
	Real     Numbers // the answer to the settlement
	Marks    []Mark  // at most MaxMarks; none if nothing was counted
	Scopes   []byte  // the scopes that have its release, one for each key, as AppendScope makes them; nil without a release
}

// AppendScope appends the name of a scope, which has at most 255 bytes, to the scopes of a record.
func AppendScope(scopes []byte, name string) []byte {
	return append(append(scopes, byte(len(name))), name...)
}

// EachScope returns the names of scopes, each with its position.
func EachScope(scopes []byte) iter.Seq2[int, []byte] {
	return func(yield func(int, []byte) bool) {
		for i := 0; len(scopes) > 0; i++ {
			end := 1 + int(scopes[0])
			if end > len(scopes) || !yield(i, scopes[1:end]) {
				return
			}
			scopes = scopes[end:]
		}
	}
}

// areScopes reports whether bytes are the names of 1 to MaxMarks scopes.
func areScopes(bytes []byte) bool {
	n, size := 0, 0
	for _, name := range EachScope(bytes) {
		n, size = n+1, size+1+len(name)
	}
	return 0 < n && n <= MaxMarks && size == len(bytes)
}

func flag(set bool, bit byte) byte {
	if set {
		return bit
	}
	return 0
}
