// Package meters keeps the open windows of adaptive limits on this node.
//
//	table.go     the windows, of a bounded number of keys
//	watched.go   totals and the last hour of the keys that the configuration lists
//
// A window is a fact about this node: it is not logged, and no other node has it. If the table is full, a new
// key takes the place of one that has not been used for a while. Such a key loses its open window, and never
// its limit.
//
// Invariants: the table has at most [Keys] keys, and a bounded number of bytes of each. A key has a window only
// in its own part of the table.
//
// Locks: each part of the table has a lock, and so has the list of watched keys. They are innermost locks.
// The caller holds the partition of a key from Get to Put, so that no other caller changes the window in
// between. So Get reads a window without a lock. Put takes the lock because reports read all windows.
package meters
