package pending

import (
	"bytes"

	"cellserver/cluster/entry"
	"cellserver/store"
)

// Committed returns what the keys hold without the batches in the queue. It reports false if this is
// unknown: a whole database has changed, or a part of the undos is lost. The images stay as they are.
func (q *Queue) Committed() (entry.Committed, bool) {
	undo, _, whole := q.Undo()
	if !whole {
		return nil, false
	}
	before := entry.Committed{}
	for i := range undo {
		u := &undo[i]
		if !u.OfKey() {
			return nil, false
		}
		key := entry.Key{DB: u.Before.DB, Name: string(u.Before.Key)}
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
