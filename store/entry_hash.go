package store

import "cellserver/store/hash"

// Hash returns the hash of a key of kind Hash, otherwise one without fields. Read it only.
func (e *Entry) Hash() hash.Hash { return hash.Of(e.place.Collection()) }
