package store

import "slices"

// watchBytes is about how many bytes a watched key takes, without the bytes of the key.
const watchBytes = 128

// Watch starts to watch a key of the transaction's database. The footprint must have the key. Watch
// first removes an expired key: for the watcher, that removal is not a change.
func (tx *Tx) Watch(w *Watcher, key []byte) {
	k := watchKey{tx.db, string(key)}
	if _, already := w.keys[k]; already {
		return
	}
	tx.Peek(key)
	p := tx.partition(key)
	if p.watches == nil {
		p.watches = map[watchKey][]*Watcher{}
	}
	p.watches[k] = append(p.watches[k], w)
	if w.keys == nil {
		w.keys = map[watchKey]struct{}{}
	}
	w.keys[k] = struct{}{}
	w.partitions.add(int(p.index))
	w.bytes += len(key) + watchBytes
}

// Unwatch stops watching all keys, and makes w clean. The footprint must have the watched keys
// ([Watcher.Footprint]).
func (tx *Tx) Unwatch(w *Watcher) {
	for k := range w.keys {
		p := tx.partition([]byte(k.key))
		rest := slices.DeleteFunc(p.watches[k], func(o *Watcher) bool { return o == w })
		if len(rest) == 0 {
			delete(p.watches, k)
		} else {
			p.watches[k] = rest
		}
	}
	w.keys, w.partitions, w.bytes = nil, Footprint{}, 0
	w.dirty.Store(false)
}

// Dirty reports whether a watched key has changed or expired since it was watched. The footprint
// must have the watched keys.
func (tx *Tx) Dirty(w *Watcher) bool {
	if w.Changed() {
		return true
	}
	for k := range w.keys {
		key := []byte(k.key)
		t := tx.s.tables.find(int(tx.partition(key).index), k.db)
		if t != nil && t.HasExpired(key, tx.now) {
			return true
		}
	}
	return false
}

// Changed reports whether a watched key has changed. Any goroutine may call it. Only [Tx.Dirty] knows whether
// one has expired.
func (w *Watcher) Changed() bool { return w.dirty.Load() }

// Len returns the number of watched keys.
func (w *Watcher) Len() int { return len(w.keys) }

// Watching reports whether w watches any key.
func (w *Watcher) Watching() bool { return len(w.keys) > 0 }

// Bytes returns about how much memory the watching takes, in bytes.
func (w *Watcher) Bytes() int { return w.bytes }

// Footprint adds the partitions of the watched keys to fp.
func (w *Watcher) Footprint(fp *Footprint) { fp.include(&w.partitions) }
