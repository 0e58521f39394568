package store

// Op is the kind of an [Effect].
type Op uint8

// All effects. Each can be written as plain Redis commands. The comments show them, in terms of the fields of
// [Effect]. All but OpChange are absolute facts.
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

	// Of collections.
	OpChange // Change.Verb Key and the operands: Type.Once says whether it is an absolute fact
	OpStore  // DEL Key, then the verb of Type.Whole with all of Collection, [PEXPIREAT Key At]
)

// Effect is one change of the keyspace, in database DB. Its slices and its collection are
// borrowed: they are valid until the observer returns.
type Effect struct {
	Op         Op
	Expired    bool // of OpDel: the key had expired, no command deleted it
	DB         int
	Key        []byte
	At         int64 // expiry in Unix milliseconds, or NoExpiry
	Collection Collection
	Change     *Change

	// Value is a string, a member, or another key; Int is an integer, an offset, or another database.
	Operands
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
