package blocked

import "cellserver/store"

// Place is a key that a client waits for, in the database and with the kind of value that it waits for.
type Place struct {
	DB   int
	Kind store.Kind
	Key  string
}

// kinds are those of the values that clients wait for.
var kinds = [...]store.Kind{store.List, store.Sorted}

// Brought returns the places for which clients wait that a transaction has changed, in the order of its
// effects. Their keys may have a value of another kind, or none. The transaction has not ended.
func (t *Table) Brought(tx *store.Tx) (places []Place) {
	if !t.Any() || tx.Changes() == 0 {
		return nil
	}
	return t.changed(tx.Effects(0))
}

func (t *Table) changed(effects []store.Effect) (places []Place) {
	t.mu.Lock()
	defer t.mu.Unlock()
	seen := map[Place]bool{}
	note := func(db int, key []byte) {
		for _, kind := range kinds {
			p := Place{db, kind, string(key)}
			if t.queues[p] != nil && !seen[p] {
				seen[p] = true
				places = append(places, p)
			}
		}
	}
	for i := range effects {
		e := &effects[i]
		switch e.Op {
		case store.OpDel, store.OpExpire, store.OpPersist, store.OpFlush:
		case store.OpSwapDB:
			for p := range t.queues {
				if p.DB == e.DB || p.DB == int(e.Int) {
					note(p.DB, []byte(p.Key))
				}
			}
		case store.OpRename, store.OpMove:
			db, key, _ := e.Other()
			note(db, key)
		default:
			note(e.DB, e.Key)
		}
	}
	return places
}
