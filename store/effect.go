package store

// Op is the kind of an [Effect].
type Op uint8

// The closed vocabulary of effects. Each is an absolute fact that can be written as a
// plain Redis command; what it needs of an Effect's fields stands beside it.
const (
	OpSet      Op = iota // SET Key Value|Int [PXAT At]; Value nil means Int
	OpSetRange           // SETRANGE Key Int Value
	OpDel                // DEL Key
	OpExpire             // PEXPIREAT Key At
	OpPersist            // PERSIST Key
	OpZAdd               // ZADD Key Score Value
	OpZRem               // ZREM Key Value
	OpReplace             // DEL Key, then ZADD Key with all of Sorted, [PEXPIREAT Key At]
	OpFlush              // FLUSHDB of DB
	OpSwapDB             // SWAPDB DB Int
)

// Effect is one change of the keyspace, in database DB. Its slices are borrowed: they
// hold until the observer returns.
type Effect struct {
	Op     Op
	DB     int
	Key    []byte
	Value  []byte // a string, or a sorted set's member
	Int    int64  // an integer, an offset, or another database
	At     int64  // expiry in Unix milliseconds, or NoExpiry
	Score  float64
	Sorted *SortedSet
}

// Observer is told of every transaction that changed something, while its locks are
// held: so effects of one key arrive in the order in which they happened. It must not
// call back into the store. An error of its own is its own to handle.
type Observer interface {
	Committed(tx *Tx, effects []Effect)
}
