package roster

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"strconv"

	"cellserver/cluster/entry"
	"cellserver/persistence/fs"
)

// Identity is what a node knows about itself.
type Identity struct {
	ID          string `json:"id"`                  // 40 hexadecimal digits
	Cluster     string `json:"cluster"`             // id of its cluster in 40 hexadecimal digits; empty until the node knows it
	Incarnation uint64 `json:"incarnation"`         // number of the directory, from 1
	BootID      string `json:"boot_id"`             // of the kernel under which the node was started
	Durable     bool   `json:"durable"`             // everything that the node has acknowledged is on disk
	Clean       bool   `json:"clean"`               // the node has stopped, and everything is on disk
	Forgotten   bool   `json:"forgotten,omitempty"` // the cluster has removed the previous incarnation: this one joins only after CLUSTER MEET
}

// maxSize is the largest size of the file in bytes.
const maxSize = 4096

// OldDir returns the path to which the directory of the previous incarnation was moved, and "" for the first
// incarnation.
func (n *Identity) OldDir(dir string) string {
	if n.Incarnation < 2 {
		return ""
	}
	return dir + ".old-" + strconv.FormatUint(n.Incarnation-1, 10)
}

// SaveIdentity writes the file of a node, and makes its directory. It is on disk afterwards.
func SaveIdentity(files fs.FS, dir string, n Identity) error {
	if err := n.check(); err != nil {
		return err
	}
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	if err := files.Mkdir(dir); err != nil {
		return err
	}
	if err := fs.WriteFile(files, pathOf(dir), append(text, '\n')); err != nil {
		return err
	}
	return files.SyncDir(filepath.Dir(dir))
}

// MarkClean notes that the node has stopped and that everything in its directory is on disk.
func MarkClean(files fs.FS, dir string) error {
	n, err := ReadIdentity(files, dir)
	if err != nil {
		return err
	}
	n.Clean = true
	return SaveIdentity(files, dir, n)
}

func pathOf(dir string) string { return filepath.Join(dir, "node") }

// ReadIdentity reads the file of a directory. The error is os.ErrNotExist if there is no file.
func ReadIdentity(files fs.FS, dir string) (n Identity, err error) {
	text, err := fs.ReadFile(files, pathOf(dir), maxSize)
	if err != nil {
		return Identity{}, err
	}
	if n, err = parse(text); err != nil {
		return Identity{}, fmt.Errorf("%s cannot be used: %w. Restore it from a copy, or remove the "+
			"directory %s: then the node joins the cluster as a new one", pathOf(dir), err, dir)
	}
	return n, nil
}

func parse(text []byte) (n Identity, err error) {
	if len(text) > maxSize {
		return Identity{}, fmt.Errorf("it has more than %d bytes", maxSize)
	}
	in := json.NewDecoder(bytes.NewReader(text))
	in.DisallowUnknownFields()
	if err := in.Decode(&n); err != nil {
		return Identity{}, err
	}
	if in.More() {
		return Identity{}, errors.New("it has text after its end")
	}
	return n, n.check()
}

func (n *Identity) check() error {
	switch {
	case !entry.IsID(n.ID):
		return fmt.Errorf("its id %.60q is not 40 hexadecimal digits in lower case", n.ID)
	case n.Cluster != "" && !entry.IsID(n.Cluster):
		return fmt.Errorf("its cluster %.60q is not 40 hexadecimal digits in lower case", n.Cluster)
	case n.Incarnation == 0:
		return errors.New("its incarnation is 0, and the first one is 1")
	}
	return nil
}
