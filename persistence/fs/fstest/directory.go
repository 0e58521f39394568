package fstest

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// move is the renaming of a directory within its parent.
type move struct{ from, to string }

// renameDir renames a directory with all its files. The parent has the names from and to: a power cut before
// it is synced may bring the old name back.
func (m *Memory) renameDir(from, to string) error {
	v := move{filepath.Clean(from), filepath.Clean(to)}
	if filepath.Dir(v.from) != filepath.Dir(v.to) {
		return &os.PathError{Op: "rename", Path: from, Err: os.ErrInvalid}
	}
	if !v.apply(m.names) {
		return &os.PathError{Op: "rename", Path: from, Err: os.ErrNotExist}
	}
	v.apply(m.synced)
	m.moves = append(m.moves, v)
	return nil
}

// apply renames all files in the directory. It reports whether there are any.
func (v move) apply(names map[string]*inode) (any bool) {
	for _, name := range sorted(names) {
		if rest, ok := strings.CutPrefix(name, v.from+string(filepath.Separator)); ok {
			names[filepath.Join(v.to, rest)] = names[name]
			delete(names, name)
			any = true
		}
	}
	return any
}

// undoMoves brings old names of directories back: those of the last moves, as many as r chooses. Without r
// it brings all back.
func (m *Memory) undoMoves(moves []move, r *rand.Rand) {
	kept := 0
	if r != nil {
		kept = r.IntN(len(moves) + 1)
	}
	for i := len(moves) - 1; i >= kept; i-- {
		back := move{moves[i].to, moves[i].from}
		back.apply(m.names)
		back.apply(m.synced)
	}
}
