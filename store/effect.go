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

// memberBytes is what the log adds to a member of a collection.
const memberBytes = 12

// EffectBytes returns about how many bytes the effects of the transaction hold: their keys and
// values. The log will hold as many. [Tx.Begin] must have begun the transaction.
func (tx *Tx) EffectBytes() int64 {
	for _, f := range tx.effects[tx.weighed:] {
		tx.weight += int64(len(f.Key) + len(f.Value) + len(f.More))
		if f.Collection != nil {
			tx.weight += f.Collection.Bytes() + memberBytes*int64(f.Collection.Len())
		}
	}
	tx.weighed = len(tx.effects)
	return tx.weight
}

// UndoBytes returns about how many bytes the transaction keeps alive to undo its changes, after
// [Tx.KeepUndo].
func (tx *Tx) UndoBytes() int64 {
	if !tx.undo.keeps {
		return 0
	}
	return tx.undo.own.log.Undos().Bytes()
}
