package store

import (
	"cellserver/store/hash"
	"cellserver/store/list"
	"cellserver/store/set"
)

// Hash returns the hash of a key of kind Hash, otherwise one without fields. Read it only.
func (e *Entry) Hash() hash.Hash { return hash.Of(e.place.Collection()) }

// Set returns the set of a key of kind Set, otherwise one without members. Read it only.
func (e *Entry) Set() set.Set { return set.Of(e.place.Collection()) }

// List returns the list of a key of kind List, otherwise one without elements. Read it only.
func (e *Entry) List() list.List { return list.Of(e.place.Collection()) }
