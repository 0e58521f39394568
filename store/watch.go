package store

import "slices"

// Watcher learns that a key it watches was changed, as WATCH wants it. The zero value
// watches nothing. It belongs to one client; only the store writes dirty.
type Watcher struct {
	keys  map[watchKey]struct{}
	bytes int
	dirty dirtyFlag
}

// watchBytes is about what watching a key costs beyond the key's own bytes, which are
// kept once.
const watchBytes = 128

type watchKey struct {
	db  int
	key string
}

// Watch starts watching a key of the transaction's database. The key must lie in its
// footprint. One whose time is over is removed first: that it goes is no change to who
// watches it from now on.
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
	w.bytes += len(key) + watchBytes
}

// Unwatch stops watching everything and forgets what was seen. The transaction's
// footprint must hold the watched keys ([Watcher.Footprint]).
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
	w.keys, w.bytes = nil, 0
	w.dirty.Store(false)
}

// Dirty reports whether a watched key was changed, or its time has run out, since it
// was watched. The transaction's footprint must hold the watched keys.
func (tx *Tx) Dirty(w *Watcher) bool {
	if w.dirty.Load() {
		return true
	}
	db := tx.db
	defer func() { tx.db = db }()
	for k := range w.keys {
		tx.db = k.db
		if tx.expiredCell([]byte(k.key)) {
			return true
		}
	}
	return false
}

// Watching reports whether w watches any key.
func (w *Watcher) Watching() bool { return len(w.keys) > 0 }

// Bytes returns about how much memory the watching takes.
func (w *Watcher) Bytes() int { return w.bytes }

// Footprint adds the partitions of the watched keys to fp.
func (w *Watcher) Footprint(fp *Footprint) {
	for k := range w.keys {
		fp.AddKey([]byte(k.key))
	}
}

// touch marks the watchers of a key.
func (p *partition) touch(db int, key []byte) {
	if len(p.watches) == 0 {
		return
	}
	for _, w := range p.watches[watchKey{db, string(key)}] {
		w.dirty.Store(true)
	}
}

// touchAll marks the watchers of the database's keys for which exists says true.
func (p *partition) touchAll(db int, exists func(key []byte) bool) {
	for k, ws := range p.watches {
		if k.db == db && exists([]byte(k.key)) {
			for _, w := range ws {
				w.dirty.Store(true)
			}
		}
	}
}
