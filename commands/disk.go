package commands

// Persistence keeps the keyspace on disk; the edge provides it. Its methods are safe for
// concurrent use. A command that has a transaction may call only Writing, LastSave, ScheduleSave
// and ScheduleRewrite.
type Persistence interface {
	// Save writes a snapshot. It returns once the snapshot is on disk, or why it is not.
	Save() error
	// BackgroundSave starts to write a snapshot, or returns why it cannot.
	BackgroundSave() error
	// ScheduleSave writes a snapshot as soon as nothing else is written in the background.
	ScheduleSave()
	// BackgroundRewrite starts to rewrite the append-only file, or returns why it cannot.
	BackgroundRewrite() error
	// ScheduleRewrite rewrites the append-only file as soon as nothing else is written in the
	// background.
	ScheduleRewrite()
	// Writing returns what is written in the background: "rdb" for a snapshot, "aof" for a rewrite
	// of the append-only file, "" for nothing.
	Writing() string
	// LastSave returns the Unix second of the last snapshot, or of the start.
	LastSave() int64
	// Flushed follows a FLUSHALL. It returns once the files on disk are empty too.
	Flushed()
	// Reload writes a snapshot and loads it in place of the keyspace, for DEBUG RELOAD. After an
	// error the keyspace may be empty.
	Reload() error
	// Relieve waits until the changes that wait for the append-only file are few enough. Call it
	// after a command, with no lock held.
	Relieve()
	// Info adds the fields of INFO's section.
	Info(add func(name string, value any))
}
