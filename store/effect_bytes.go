package store

// EffectBytes returns about how many bytes the effects of the transaction hold: their keys and
// values. The log will hold as many. [Tx.Begin] must have begun the transaction.
func (tx *Tx) EffectBytes() int64 {
	for _, f := range tx.effects[tx.weighed:] {
		tx.weight += int64(len(f.Key) + len(f.Value) + len(f.More))
		if f.Collection != nil {
			tx.weight += f.Collection.Bytes()
		}
	}
	tx.weighed = len(tx.effects)
	return tx.weight
}
