package aof

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"cellserver/persistence/fs"
)

// partName is the form of the names of bases and of files of changes.
var partName = regexp.MustCompile(`^.+\.([0-9]+)\.(base|incr)\.(?:rdb|aof)$`)

// Parts returns the names that parts of a log have: manifests, bases and files of changes.
func Parts(names []string) []string {
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool {
		isPart := strings.HasSuffix(name, manifestEnd) || partName.MatchString(name)
		return strings.HasPrefix(name, "temp-") || !isPart
	})
}

const manifestEnd = ".manifest"

// checkStrays returns an error if there are data that the manifest does not list: a load would ignore them,
// and later files would replace them. listed is false if there is no manifest.
func (d *Dir) checkStrays(listed bool) error {
	names, err := d.fs.List(d.path)
	if err = fs.IgnoreMissing(err); err != nil {
		return err
	}
	d.rewriting = slices.Contains(names, filepath.Base(d.mark()))
	var strays []string
	for _, name := range Parts(names) {
		stray, err := d.isStray(name)
		if err != nil {
			return err
		}
		if stray {
			strays = append(strays, name)
		}
	}
	switch {
	case len(strays) == 0:
		return d.checkLegacy()
	case !listed:
		return fmt.Errorf("the manifest %s is missing, and %s has %s; nothing was changed: "+
			"restore the manifest. If all files are there, you can write it by hand, "+
			"with a line for each file: file NAME seq NUMBER type b for the base, "+
			"and then type i for each incr in order. Or move the directory away to start without it",
			d.manifestPath(), d.path, Names(strays))
	}
	return fmt.Errorf("the manifest %s does not list %s; nothing was changed: "+
		"restore the manifest that lists them, or move them to another directory to start without them",
		d.manifestPath(), Names(strays))
}

// isStray reports whether a part has data, and the manifest does not list it. An interrupted rewrite may
// leave such parts, and its mark.
func (d *Dir) isStray(name string) (bool, error) {
	if name == filepath.Base(d.manifestPath()) {
		_, err := readManifest(d.fs, d.manifestPath()) // it may be a link to a file that is missing
		return false, err
	}
	for _, e := range slices.Concat(d.manifest.Files(), d.manifest.History) {
		if e.Name == name {
			return false, nil
		}
	}
	if d.rewriting && slices.Contains(d.unlisted(), filepath.Join(d.path, name)) {
		return false, nil
	}
	f, err := d.fs.Open(filepath.Join(d.path, name), os.O_RDONLY)
	if err != nil {
		return false, err
	}
	size, err := f.Size()
	return size > 0, errors.Join(err, f.Close())
}

// checkLegacy returns an error if there is a log of one file beside the log of version 7.
func (d *Dir) checkLegacy() error {
	if d.legacy || d.manifest.Empty() {
		return nil
	}
	path := filepath.Join(d.parent, d.name)
	exists, err := fs.Exists(d.fs, path)
	if exists {
		err = fmt.Errorf("%s and the log in %s are two logs, and only the second would be loaded; "+
			"nothing was changed: move the one away that you do not want", path, d.path)
	}
	return err
}

// Names lists names for an error: the first ones, and how many more there are.
func Names(all []string) string {
	const most = 6
	if len(all) <= most {
		return strings.Join(all, ", ")
	}
	return strings.Join(all[:most], ", ") + " and " + strconv.Itoa(len(all)-most) + " more"
}

// mark returns the path of the file that exists during a rewrite. An interrupted rewrite leaves it.
func (d *Dir) mark() string { return fs.TempName(filepath.Join(d.path, d.name+".rewrite")) }

// unlisted returns the paths of the files that a rewrite makes before the manifest lists them.
func (d *Dir) unlisted() []string { return []string{d.NextBase(), d.pathOf(d.nextIncr())} }

// BeginRewrite marks that files come which the manifest does not list yet. [Dir.NewFile] forces the mark to
// disk.
func (d *Dir) BeginRewrite() error {
	f, err := d.fs.Open(d.mark(), os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	return f.Close()
}

// EndRewrite removes what a rewrite has made and the manifest does not list, and then the mark.
func (d *Dir) EndRewrite() error {
	for _, path := range append(d.unlisted(), d.mark()) {
		if err := fs.IgnoreMissing(d.fs.Remove(path)); err != nil {
			return err
		}
	}
	d.rewriting = false
	return nil
}

// Retire gives a log that is not empty another name, which no start takes for a log.
func (d *Dir) Retire() error {
	if d.Empty() {
		return nil
	}
	path := d.Place()
	names, err := d.fs.List(d.parent)
	if err != nil {
		return err
	}
	free := filepath.Base(path) + ".imported"
	for n := 2; slices.Contains(names, free); n++ {
		free = fmt.Sprint(filepath.Base(path), ".imported-", n)
	}
	return errors.Join(d.fs.Rename(path, filepath.Join(d.parent, free)), d.fs.SyncDir(d.parent))
}

// Interrupted reports whether a rewrite was interrupted before the log was opened.
func (d *Dir) Interrupted() bool { return d.rewriting }
