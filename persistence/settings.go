package persistence

import (
	"path/filepath"

	"cellserver/persistence/aof"
)

// Settings are the directives of persistence. They may change at any time ([Manager.Configure]).
type Settings struct {
	Dir        string // an absolute path
	DBFilename string
	Save       []SavePoint
	Checksum   bool // files end in a checksum

	// StopWrites refuses writes after the last snapshot in the background has failed.
	StopWrites bool
	// SkipUnsupported leaves out what the server does not keep when a file is loaded.
	SkipUnsupported bool

	AppendOnly            bool // keep a log of all changes
	AppendFsync           aof.Policy
	AppendDir, AppendName string // the name of the log's directory in Dir, and the beginning of its files' names
	LoadTruncated         bool   // load a log without its torn tail, instead of refusing the log
	RewritePercentage     int64  // by how many percent the log grows before it is rewritten; 0: never
	RewriteMinSize        int64  // the smallest size in bytes at which a log is rewritten

	// Exports means that the keys come from elsewhere: Start loads no files, and snapshots are copies for
	// others.
	Exports bool
}

// writes reports whether a server with these settings writes files by itself.
func (s *Settings) writes() bool { return len(s.Save) > 0 || s.AppendOnly || s.Exports }

// SavePoint asks for a snapshot after Changes changes, if the last snapshot is Seconds seconds old.
type SavePoint struct{ Seconds, Changes int64 }

// dump returns the path of the snapshot.
func (s *Settings) dump() string { return filepath.Join(s.Dir, s.DBFilename) }

// Condition says what clients may do.
type Condition struct {
	Loading bool // data is being loaded: only a few commands like INFO run
	// SaveFailed refuses writes because the last snapshot has failed.
	SaveFailed bool
	// LogFailed is the reason why the server cannot write the append-only file, or "". Limiters then
	// continue in memory, and other writes are errors. LogStrict refuses all commands on keys: with
	// appendfsync always, no reply may report a change that a crash can lose.
	LogFailed string
	LogStrict bool
}
