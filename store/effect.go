package store

// Op is the kind of an [Effect].
type Op uint8

// All effects. Each is an absolute fact that can be written as a plain Redis command. The
// comments show that command, in terms of the fields of [Effect].
const (
	OpSet      Op = iota // SET Key Value|Int [PXAT At]; a nil Value means Int
	OpSetRange           // SETRANGE Key Int Value
	OpDel                // DEL Key
	OpExpire             // PEXPIREAT Key At
	OpPersist            // PERSIST Key
	OpFlush              // FLUSHDB of DB
	OpSwapDB             // SWAPDB DB Int
	OpRename             // RENAME Key Value: Key is there
	OpMove               // MOVE Key Int: Key is there, and not in database Int

	// Of sorted sets.
	OpZAdd   // ZADD Key Score Value
	OpZRem   // ZREM Key Value
	OpZStore // DEL Key, then ZADD Key with all of Collection, [PEXPIREAT Key At]
)

// wholeOps has a row for each collection: the effect that says everything that a key holds.
var wholeOps = [...]Op{
	Sorted: OpZStore,
}

// Effect is one change of the keyspace, in database DB. Its slices and its collection are
// borrowed: they are valid until the observer returns.
type Effect struct {
	Op         Op
	DB         int
	Key        []byte
	Value      []byte // a string, a member, or another key
	Int        int64  // an integer, an offset, or another database
	At         int64  // expiry in Unix milliseconds, or NoExpiry
	Score      float64
	Collection Collection
	Expired    bool // of OpDel: the key had expired, no command deleted it
}

// Other returns the second key that a rename or a move changes, and its database. ok is false for
// all other effects.
func (f *Effect) Other() (db int, key []byte, ok bool) {
	switch f.Op {
	case OpRename:
		return f.DB, f.Value, true
	case OpMove:
		return int(f.Int), f.Key, true
	}
	return 0, nil, false
}
