package persistence

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"cellserver/persistence/aof"
	"cellserver/persistence/fs"
)

// NodeDir is the name of the directory that a node of a cluster has in the directory of the files.
const NodeDir = "raft"

// inventory is what a directory holds. A start loads a part of it, and must not ignore the rest in silence.
type inventory struct {
	dir       string
	node      bool     // the directory of a node of a cluster
	log       *aof.Dir // the log that the settings name; it may be empty
	logBytes  int64
	logTime   int64    // when the log was last written, in Unix nanoseconds; -1 if it is empty
	logs      []string // other logs
	snapshots []string // all snapshots, with their paths
	foreign   []string // snapshots of a form that the server does not read
	copies    []string // names that say that they have a snapshot or a log, such as dump.rdb.gz
}

// takeInventory looks into the directory of the files, and changes nothing. Names that end in .old are of no
// interest: so an owner can keep old data in the directory.
func takeInventory(files fs.FS, set *Settings) (inv *inventory, err error) {
	inv = &inventory{dir: set.Dir}
	names, err := files.List(set.Dir)
	if err = fs.IgnoreMissing(err); err != nil {
		return nil, access(err)
	}
	if inv.log, err = aof.Open(files, set.Dir, set.AppendDir, set.AppendName); err != nil {
		return nil, access(err)
	}
	base, changes, at, err := inv.log.Stat()
	if err != nil {
		return nil, fmt.Errorf("%w; nothing was changed: restore the file", err)
	}
	inv.logBytes, inv.logTime = base+changes, at
	for _, name := range names {
		inv.add(files, set, name)
	}
	return inv, access(inv.checkLinks(files, set, names))
}

// checkLinks returns an error if the log that the settings name is a link to something that is missing.
func (inv *inventory) checkLinks(files fs.FS, set *Settings, names []string) error {
	if slices.Contains(names, set.AppendDir) {
		if _, err := files.List(inv.log.Path()); err != nil {
			return err
		}
	}
	if inv.log.Empty() && slices.Contains(names, set.AppendName) {
		f, err := files.Open(filepath.Join(inv.dir, set.AppendName), os.O_RDONLY)
		if err != nil {
			return err
		}
		return f.Close()
	}
	return nil
}

// add takes one name of the directory.
func (inv *inventory) add(files fs.FS, set *Settings, name string) {
	path := filepath.Join(inv.dir, name)
	switch ext := filepath.Ext(name); {
	case name == NodeDir:
		inv.node = true
	case name == set.AppendName, name == set.AppendDir, strings.HasPrefix(name, "temp-"):
	case name == set.DBFilename, ext == ".rdb":
		inv.snapshots = append(inv.snapshots, path)
	case ext == ".dfs":
		inv.foreign = append(inv.foreign, path)
	case ext == ".aof":
		inv.logs = append(inv.logs, path)
	case ext != ".old" && (strings.Contains(name, ".rdb") || strings.Contains(name, ".aof")):
		inv.copies = append(inv.copies, name)
	case ext == "":
		inside, err := files.List(path)
		if err == nil && len(aof.Parts(inside)) > 0 { // an error: no directory, or that of somebody else
			inv.logs = append(inv.logs, path)
		}
	}
}

// ErrIgnored is the error of a start that would ignore data.
type ErrIgnored struct {
	Names  []string // of what would be ignored
	Advice string   // what to do
}

// Error returns all fields.
func (e *ErrIgnored) Error() string {
	return aof.Names(e.Names) + " would be ignored; nothing was changed: " + e.Advice
}

const otherwise = "to start without it, move it to another directory, or add .old to its name"

// check returns an error if a start would ignore data. Whether it ignores snapshots depends on what they
// hold: see rivals.
func (inv *inventory) check(set *Settings) error {
	if set.Exports {
		return inv.checkNode()
	}
	switch {
	case inv.node:
		return &ErrIgnored{[]string{filepath.Join(inv.dir, NodeDir)}, "it has the keys of a node of a " +
			"cluster: start with cluster-nodes as before. For a single server with these keys, " +
			"run SAVE on the leader, and start the server in another directory with this dump.rdb"}
	case len(inv.foreign) > 0:
		return &ErrIgnored{inv.foreign, "it is a snapshot in Dragonfly's own form: " +
			"on Dragonfly, run SAVE RDB, and bring that file; " + otherwise}
	case len(inv.logs) > 0:
		return &ErrIgnored{inv.logs, fmt.Sprintf("the log of this server is %s: set appenddirname and "+
			"appendfilename to its names, or %s", filepath.Join(set.AppendDir, set.AppendName), otherwise)}
	case !set.AppendOnly && inv.logBytes > 0:
		return &ErrIgnored{[]string{inv.log.Place()}, "it is a log, and appendonly is no: start with appendonly yes, " +
			"or " + otherwise}
	case !set.AppendOnly || inv.log.Empty():
		if dump := set.dump(); len(inv.snapshots) > 0 && !slices.Contains(inv.snapshots, dump) {
			return &ErrIgnored{inv.snapshots, fmt.Sprintf("dbfilename is %q: "+
				"set it to the name of the snapshot, or %s", set.DBFilename, otherwise)}
		}
	}
	return nil
}

// empty reports whether there is nothing to load.
func (inv *inventory) empty() bool { return !inv.node && inv.log.Empty() && len(inv.snapshots) == 0 }

// checkNode is check for a node of a cluster. Snapshots beside the directory of a node are its exports.
func (inv *inventory) checkNode() error {
	ignored := slices.Concat(inv.logs, inv.foreign)
	if inv.logBytes > 0 {
		ignored = append(ignored, inv.log.Path())
	}
	if !inv.node {
		ignored = append(ignored, inv.snapshots...)
	}
	switch {
	case len(ignored) == 0:
		return nil
	case inv.node:
		own := filepath.Join(inv.dir, NodeDir)
		return &ErrIgnored{ignored, "the keys of this node are in " + own + ": " + otherwise}
	}
	return &ErrIgnored{ignored, "a node of a cluster begins empty, or gets the keys of the cluster. " +
		"To begin a cluster with these keys, " +
		"run cellserver --cluster-import with the directives of this node; " + otherwise}
}

// access adds to an error of a file what to do about it.
func access(err error) error {
	advice := ""
	switch {
	case fs.IsFull(err):
		return fmt.Errorf("%w: make room on the disk, because the first start begins files there", err)
	case errors.Is(err, syscall.EROFS):
		advice = "mount the disk so that the server may write there, or choose another dir"
	case errors.Is(err, os.ErrPermission):
		advice = "give it to the user that runs the server (chown, chmod), or choose another dir"
	case errors.Is(err, fs.ErrNoFile), errors.Is(err, syscall.ENOTDIR):
		advice = "restore what should be there, or move it away to start without it"
	case errors.Is(err, os.ErrNotExist):
		advice = "it is a link to something that is missing: restore that, or move the link away"
	default:
		return err
	}
	return fmt.Errorf("%w; nothing was changed: %s", err, advice)
}
