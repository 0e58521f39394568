package pending

import (
	"bytes"

	"cellserver/store"
)

// Committed is what keys hold without the batches of a queue: the keys that the batches have changed, as
// they were before. An image of kind None says that the key was absent.
type Committed map[Key]*store.Image

// Key is a key of a database.
type Key struct {
	DB   int
	Name string
}

// Committed returns what the keys hold without the batches in the queue. It reports false if this is
// unknown: a whole database has changed, or a part of the undos is lost. The images stay as they are.
func (q *Queue) Committed() (Committed, bool) {
	undo, _, whole := q.Undo()
	if !whole {
		return nil, false
	}
	before := Committed{}
	for i := range undo {
		u := &undo[i]
		if !u.OfKey() {
			return nil, false
		}
		key := Key{u.Before.DB, string(u.Before.Key)}
		if _, later := before[key]; !later {
			before[key] = keep(u.Before)
		}
	}
	return before, true
}

// keep returns a copy of an image that no other code changes.
func keep(im store.Image) *store.Image {
	im.Key = bytes.Clone(im.Key)
	if im.Collection != nil {
		im.Collection, _ = im.Collection.Fork()
	}
	return &im
}
