package store

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
