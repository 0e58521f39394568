package roster

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"cellserver/persistence/fs"
)

// OpenIdentity returns the node of a directory, and notes that it runs. bootID differs for each start of the
// kernel; it may be empty if the kernel has no such id. durable says that this run forces everything to disk
// before it acknowledges it.
//
// The directory may have lost what the node has acknowledged. Then it is moved to OldDir, and the node gets
// a new id and an empty directory. The node keeps its Cluster: it joins that cluster again, and must not
// form another one.
//
// If there is no directory, the node has no ID: it was never a member, or its directory is lost. The caller
// gives it a FounderID if it forms a cluster, and a NewID if it joins one. Then it calls SaveIdentity.
func OpenIdentity(files fs.FS, dir, bootID string, durable bool) (Identity, error) {
	if err := finishReplacement(files, dir); err != nil {
		return Identity{}, err
	}
	old, err := ReadIdentity(files, dir)
	if errors.Is(err, os.ErrNotExist) {
		return Identity{Incarnation: 1, BootID: bootID, Durable: durable}, requireEmpty(files, dir)
	}
	if err != nil {
		return Identity{}, err
	}
	n := old.next(bootID, durable)
	if n.Incarnation > old.Incarnation {
		if n.Incarnation, err = freeIncarnation(files, dir, n); err != nil {
			return Identity{}, err
		}
		n.ID = NewID(old.ID, n.Incarnation)
		if err := replace(files, dir, n); err != nil {
			return Identity{}, err
		}
	}
	if err := SaveIdentity(files, dir, n); err != nil {
		return Identity{}, err
	}
	return n, nil
}

// ForgetIdentity begins the next incarnation of a node that the cluster has removed. Its log must be closed.
// The old directory is moved to OldDir, and the new one says that the node was forgotten.
func ForgetIdentity(files fs.FS, dir string, n Identity) (Identity, error) {
	next := Identity{Cluster: n.Cluster, Incarnation: n.Incarnation + 1, BootID: n.BootID, Durable: n.Durable,
		Forgotten: true}
	var err error
	if next.Incarnation, err = freeIncarnation(files, dir, next); err != nil {
		return next, err
	}
	next.ID = NewID(n.ID, next.Incarnation)
	return next, replace(files, dir, next)
}

// freeIncarnation returns the number of the next incarnation. A person may have removed a directory, so that
// the numbers began again at 1. If there is a directory with the old name, the number leaves a gap behind the
// directories that are there. So the node removes none of them.
func freeIncarnation(files fs.FS, dir string, n Identity) (number uint64, err error) {
	taken, err := fs.Exists(files, pathOf(n.OldDir(dir)))
	for free := 0; taken && free < 2 && err == nil; {
		var there bool
		n.Incarnation++
		there, err = fs.Exists(files, pathOf(n.OldDir(dir)))
		if free++; there {
			free = 0
		}
	}
	return n.Incarnation, err
}

// next returns the node at its next start. It is the next incarnation if the directory may have lost
// something: a crash of the kernel loses what only the page cache had.
func (n Identity) next(bootID string, durable bool) Identity {
	unsynced := !n.Durable && !n.Clean
	if unsynced && (bootID == "" || bootID != n.BootID) {
		return Identity{Cluster: n.Cluster, Incarnation: n.Incarnation + 1, BootID: bootID, Durable: durable,
			Forgotten: n.Forgotten}
	}
	n.BootID, n.Clean = bootID, false
	n.Durable = durable && !unsynced // what the run before has acknowledged may still be in the page cache
	return n
}

// replace moves a directory to its old name, and makes another one for the next incarnation. The new
// directory is complete before the old one moves, so a crash loses neither. The new one is marked clean,
// because its node has acknowledged nothing.
func replace(files fs.FS, dir string, n Identity) error {
	n.Clean = true
	if err := SaveIdentity(files, newDir(dir), n); err != nil {
		return err
	}
	if err := files.Rename(dir, n.OldDir(dir)); err != nil {
		return err
	}
	if err := files.SyncDir(filepath.Dir(dir)); err != nil {
		return err
	}
	return finishReplacement(files, dir)
}

// finishReplacement gives a new directory its name if the old one has moved already.
func finishReplacement(files fs.FS, dir string) error {
	there, err := fs.Exists(files, pathOf(dir))
	if err != nil || there {
		return err
	}
	if there, err = fs.Exists(files, pathOf(newDir(dir))); err != nil || !there {
		return err
	}
	if err := files.Rename(newDir(dir), dir); err != nil {
		return err
	}
	return files.SyncDir(filepath.Dir(dir))
}

func newDir(dir string) string { return dir + ".new" }

// requireEmpty returns an error if a directory without the file of a node has other files.
func requireEmpty(files fs.FS, dir string) error {
	names, err := files.List(dir)
	if err != nil {
		return fs.IgnoreMissing(err)
	}
	for _, name := range names {
		if !strings.HasPrefix(name, "temp-") {
			return fmt.Errorf("%s is lost, and its directory has %s. Restore the file from a copy, or remove the directory: then the node joins the cluster as a new one", pathOf(dir), name)
		}
	}
	return nil
}
