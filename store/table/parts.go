package table

import (
	"hash/maphash"
	"sync/atomic"

	"cellserver/store/memory"
)

// hashing is how a table makes the hash of a key.
type hashing struct {
	seed     maphash.Seed
	hashMask uint64 // all ones; tests clear bits, to make hashes agree
}

// sizes are the numbers of a table.
type sizes struct {
	count    atomic.Int64 // cells
	volatile atomic.Int64 // cells with an expiry
	heap     int64        // bytes of the directory and of objects
	cells    int64        // bytes of segments
	heapUsed *atomic.Int64
	blocks   *memory.Blocks
}

// dirEntryBytes is the memory of a directory entry, with its entry of the segment map.
const dirEntryBytes = 24
