package commands

// ErrClusterSnapshot is the error of Persistence.Save while the node writes a snapshot of the cluster.
const ErrClusterSnapshot Error = "ERR A snapshot of the cluster is being written: wait for its end, which INFO persistence shows"

// Persistence keeps the keyspace on disk. The edge provides it. Its methods are safe for concurrent
// use. A command that has a transaction may call only Writing, LastSave, ScheduleSave and
// ScheduleRewrite.
type Persistence interface {
	// Save writes a snapshot. It returns nil when the snapshot is on disk.
	Save() error
	// BackgroundSave starts to write a snapshot. An error means that it has not started.
	BackgroundSave() error
	// ScheduleSave writes a snapshot when no other file is being written in the background.
	ScheduleSave()
	// BackgroundRewrite starts to rewrite the append-only file. An error means that it has not
	// started.
	BackgroundRewrite() error
	// ScheduleRewrite rewrites the append-only file when no other file is being written in the
	// background.
	ScheduleRewrite()
	// Writing names the background work that is running: "rdb" for a snapshot, "aof" for a rewrite
	// of the append-only file, "" for no work.
	Writing() string
	// LastSave returns the Unix second of the last snapshot. Without one it is the second of the start.
	LastSave() int64
	// Flushed empties the files on disk after FLUSHALL. It returns when they are empty.
	Flushed()
	// Reload writes a snapshot and replaces the keyspace with it, for DEBUG RELOAD. After an error the server
	// has all keys, or it stays loading until it is started again.
	Reload() error
	// Full reports whether too many changes wait for the append-only file. Then a command that changes keys
	// calls Relieve first. It takes no lock.
	Full() bool
	// Relieve writes these changes. It may wait for the disk: call it with no lock held, on a goroutine
	// that serves no other client.
	Relieve()
	// Info calls add with each field of the section Persistence of INFO.
	Info(add func(name string, value any))
}
