package server

// batch is what the client knows of its running batch.
type batch struct {
	begun   bool   // a command has run, and End was not called
	dirty   bool   // a command may have changed the published state of the client
	keys    bool   // a command has used keys
	changed bool   // a command has changed a key; a read that removes an expired key is such a command
	epoch   uint64 // of the node as the batch began; 0 if it did not lead, and if it is alone
}

// Positions number the changes of the keyspace in the order of the log, from 1. The transport's Barrier
// knows from which position on changes are not safe yet. The append-only file has both, and so has the log
// of a cluster.
type Positions interface {
	// Begun returns the position of the last change so far; 0 if there is none. It takes no lock.
	Begun() uint64
	// ReadsWait reports whether replies wait that only show keys, because a change that they show may
	// be lost. Otherwise only replies to changes wait. It takes no lock.
	ReadsWait() bool
	// Mark returns the mark of the Barrier: it changes if a change may be lost. It takes no lock.
	Mark() uint64
}

func (b *batch) position(of Positions) uint64 {
	if b.changed || b.keys && of.ReadsWait() {
		return of.Begun()
	}
	return 0
}
