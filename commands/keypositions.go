package commands

import "cellserver/internal/decimal"

// Keys says which arguments are keys. Either the keys are First, First+Step, … Last, where a
// negative Last counts from the end. Or NumKeys is the position of a count. The counted keys follow
// it, at every Step-th argument. A command may have both.
type Keys struct {
	First, Last, Step int
	NumKeys           int
	Skip              int // words between the count and the first key
	// Words returns how many words there are from a counted key to the next one. rest begins with the key.
	// Nil for the same number, Step.
	Words func(rest [][]byte) int
	// Inner returns the position of another command in the arguments, and where that command has its keys.
	// The keys of the call are those. Nil for keys of the command itself.
	Inner  func(args [][]byte) (at int, keys Keys)
	Access string // flags of the key specs: "RW ACCESS UPDATE" (keyspec.go); "" means "RO ACCESS"
}

// Key positions that many commands share.
var (
	OneKey  = Keys{First: 1, Last: 1, Step: 1}
	TwoKeys = Keys{First: 1, Last: 2, Step: 1}
	AllKeys = Keys{First: 1, Last: -1, Step: 1}
	SubKey  = Keys{First: 2, Last: 2, Step: 1}

	UpdatedKey = OneKey.With("RW ACCESS UPDATE") // the command reads the old value
)

// With returns the key positions with other access flags.
func (k Keys) With(flags string) Keys {
	k.Access = flags
	return k
}

// Each calls do with every key of a call. The number of arguments must be right. If the count of keys is
// wrong, Each skips those keys, and the command replies with its own error.
func (k *Keys) Each(args [][]byte, do func(key []byte)) {
	if k.Inner != nil {
		inner := k.resolve(args)
		k = &inner
	}
	last := k.Last
	if last < 0 {
		last += len(args)
	}
	for i := k.First; i > 0 && i <= last && i < len(args); i += k.Step {
		do(args[i])
	}
	if k.NumKeys > 0 {
		at := k.firstCounted()
		for range k.Counted(args) {
			do(args[at])
			at += k.step(args[at:])
		}
	}
}

// resolve returns the positions of the keys in one call. They differ from k if another command says them.
func (k Keys) resolve(args [][]byte) Keys {
	if k.Inner == nil {
		return k
	}
	at, inner := k.Inner(args)
	inner.Access = k.Access
	if inner.First > 0 {
		inner.First += at
	}
	if inner.Last > 0 {
		inner.Last += at
	}
	if inner.NumKeys > 0 {
		inner.NumKeys += at
	}
	return inner
}

// step is the distance from a counted key, the first word of rest, to the next one.
func (k *Keys) step(rest [][]byte) int {
	if k.Words != nil {
		return k.Words(rest)
	}
	return max(k.Step, 1)
}

// firstCounted is the position of the first key after the count.
func (k *Keys) firstCounted() int { return k.NumKeys + k.Skip + 1 }

// Counted returns the number of the keys after the count. It returns 0 if the count is wrong.
func (k *Keys) Counted(args [][]byte) int {
	last := k.firstCounted()
	if last >= len(args) {
		return 0
	}
	n, ok := decimal.Parse(args[k.NumKeys])
	if !ok || n <= 0 || n > int64(len(args)-last) {
		return 0
	}
	for i := int64(1); i < n && last < len(args); i++ {
		last += k.step(args[last:])
	}
	if last >= len(args) {
		return 0
	}
	return int(n)
}
