package files

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	disk "cellserver/persistence/fs"
)

// Replace replaces the contents of a file at once. A reader finds all of the old contents or all of the
// new ones, even after a crash.
func Replace(file string, contents []byte, mode fs.FileMode) error {
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	dir := filepath.Dir(file)
	temp, err := os.CreateTemp(dir, filepath.Base(file)+".*")
	if err != nil {
		return err
	}
	defer os.Remove(temp.Name())
	_, err = temp.Write(contents)
	err = errors.Join(err, temp.Chmod(mode), temp.Sync(), temp.Close())
	if err != nil {
		return err
	}
	if err := os.Rename(temp.Name(), file); err != nil {
		return err
	}
	return disk.OS{}.SyncDir(dir) // so that the new name survives a power cut
}
