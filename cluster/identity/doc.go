// Package identity keeps the id of a node of a cluster, and decides when a node must take another id.
//
//	identity.go  Node and its file: Open, Save, MarkClean
//	start.go     the rule of a start, and the replacement of a directory
//	id.go        FirstID, NewID
//
// The votes and acknowledgements of a node are promises of its id. A node whose directory has lost some of
// these promises must not use the id again. Otherwise the cluster could elect two leaders in one term, or
// lose what a client was told. So a node takes a new id when its directory is new, or when a power cut may
// have emptied the page cache. It also does so when the cluster has removed it, and then waits for an
// invitation ([Forget]).
//
// The directory of a node has the file node beside the files of Raft. It is JSON:
//
//	{"id":"…","cluster":"…","incarnation":1,"boot_id":"…","durable":false,"clean":false}
//
// [Open] runs before the log is opened, [MarkClean] after it was closed without an error.
//
// Invariant: an id belongs to one directory only, and is never used again after that. The package keeps no
// state and takes no locks: one goroutine of one process uses a directory.
package identity
