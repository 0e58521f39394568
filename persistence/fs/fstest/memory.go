package fstest

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"cellserver/persistence/fs"
)

// Op is an operation that is about to happen.
type Op struct {
	N    int    // the number of operations before
	Kind string // open, read, write, sync, truncate, rename, remove, mkdir, list, syncdir, lock
	Path string
}

// Short is an error of [Memory.Fault]: only the first bytes of a write are written.
type Short struct {
	Bytes int
	Err   error
}

// Error returns the reason.
func (s *Short) Error() string { return s.Err.Error() }

// Unwrap returns the reason.
func (s *Short) Unwrap() error { return s.Err }

// Forgotten is an error of [Memory.Fault] for a sync: the kernel forgets that the unsynced bytes of the file
// must be written. Reads find them. No later sync writes them, unless somebody writes them again.
type Forgotten struct{ Err error }

// Error returns the reason.
func (f *Forgotten) Error() string { return f.Err.Error() }

// Unwrap returns the reason.
func (f *Forgotten) Unwrap() error { return f.Err }

// Memory is a file system in memory. Its zero value has no files. Directories exist without
// Mkdir. It is safe for concurrent use.
type Memory struct {
	// Fault is called before each operation, while the file system is locked. If it returns an error, the
	// operation does nothing and fails with that error. It may be nil.
	Fault func(Op) error
	// Clock returns the time at which files are written, in Unix nanoseconds. Nil means always 0.
	Clock func() int64

	mu     sync.Mutex // guards the fields below, and all files
	ops    int
	names  map[string]*inode // what processes see
	synced map[string]*inode // what a power cut leaves
	locked map[string]bool
	moves  []move // of directories, since their parents were last synced
}

// inode is a file's contents.
type inode struct {
	data    []byte
	synced  []byte // what a power cut leaves
	written int    // bytes of data from here on may differ from synced

	forgotten []bool // bytes of data that no sync writes
	modified  int64  // by the clock
}

var _ fs.FS = (*Memory)(nil)

// Ops returns the number of operations so far.
func (m *Memory) Ops() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ops
}

// Kill returns the files that the next process finds after the end of this process: everything
// written. Later operations on m do not change the result.
func (m *Memory) Kill() *Memory {
	return m.survivors(func(*Memory) map[string]*inode { return m.names }, func(f *inode) []byte { return f.data })
}

// PowerCut returns the files that the next process finds after a power cut. Everything that was synced is
// there. Of the rest, r chooses: some of the bytes, zeros instead of them, or nothing; and for each
// directory, its old or its new names. Without r, all other changes are lost.
func (m *Memory) PowerCut(r *rand.Rand) *Memory {
	names := func(*Memory) map[string]*inode { return m.synced }
	data := func(f *inode) []byte { return f.synced }
	if r != nil {
		names = func(*Memory) map[string]*inode { return m.eitherNames(r) }
		data = func(f *inode) []byte { return f.remains(r) }
	}
	m.mu.Lock()
	moves := slices.Clone(m.moves) // a goroutine of the process may still run
	m.mu.Unlock()
	next := m.survivors(names, data)
	next.undoMoves(moves, r)
	return next
}

func (m *Memory) survivors(names func(*Memory) map[string]*inode, data func(*inode) []byte) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := &Memory{names: map[string]*inode{}, synced: map[string]*inode{}}
	from := names(m)
	for _, name := range sorted(from) {
		b := data(from[name])
		f := &inode{data: slices.Clone(b), synced: slices.Clone(b), modified: from[name].modified}
		next.names[name], next.synced[name] = f, f
	}
	return next
}

// forget makes the kernel forget that all unsynced bytes must be written.
func (f *inode) forget() {
	f.forgotten = append(f.forgotten, make([]bool, max(0, len(f.data)-len(f.forgotten)))...)
	for i, b := range f.data {
		if i >= len(f.synced) || f.synced[i] != b {
			f.forgotten[i] = true
		}
	}
}

// remember notes that bytes must be written.
func (f *inode) remember(from, to int) {
	clear(f.forgotten[min(from, len(f.forgotten)):min(to, len(f.forgotten))])
}

// sync gives the disk what was written. A log is synced often, so this copies the new bytes only.
func (f *inode) sync() {
	if len(f.forgotten) > 0 {
		f.synced = f.remembered()
	} else {
		same := min(f.written, len(f.synced), len(f.data))
		f.synced = append(f.synced[:same], f.data[same:]...)
	}
	f.written = len(f.data)
}

// remembered returns what the disk has after a sync that leaves out forgotten bytes.
func (f *inode) remembered() []byte {
	disk := slices.Clone(f.data)
	for i := range min(len(disk), len(f.forgotten)) {
		if f.forgotten[i] {
			disk[i] = 0
			if i < len(f.synced) {
				disk[i] = f.synced[i]
			}
		}
	}
	return disk
}

// eitherNames returns for each directory all of its names, or all of its synced names.
func (m *Memory) eitherNames(r *rand.Rand) map[string]*inode {
	of := map[string]map[string]*inode{}
	mixed := map[string]*inode{}
	for _, all := range []map[string]*inode{m.names, m.synced} {
		for _, name := range sorted(all) {
			dir := filepath.Dir(name)
			if of[dir] == nil {
				of[dir] = [...]map[string]*inode{m.names, m.synced}[r.IntN(2)]
			}
		}
	}
	for dir, all := range of {
		for name, f := range all {
			if filepath.Dir(name) == dir {
				mixed[name] = f
			}
		}
	}
	return mixed
}

// remains returns what a power cut may leave of a file that was not synced to its end.
func (f *inode) remains(r *rand.Rand) []byte {
	if len(f.data) < len(f.synced) {
		return [...][]byte{f.data, f.synced}[r.IntN(2)]
	}
	left := len(f.synced) + r.IntN(len(f.data)-len(f.synced)+1)
	switch r.IntN(3) {
	case 0:
		return f.synced
	case 1:
		return f.data[:left]
	}
	return append(slices.Clone(f.data[:left]), make([]byte, len(f.data)-left)...)
}

func sorted(names map[string]*inode) []string {
	all := make([]string, 0, len(names))
	for name := range names {
		all = append(all, name)
	}
	slices.Sort(all)
	return all
}

// Put makes a file that is synced.
func (m *Memory) Put(name string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.init()
	f := &inode{data: slices.Clone(data), synced: slices.Clone(data)}
	m.names[name], m.synced[name] = f, f
}

// Get returns a file's bytes, or nil if there is no such file.
func (m *Memory) Get(name string) []byte {
	m.mu.Lock()
	defer m.mu.Unlock()
	f := m.names[name]
	if f == nil {
		return nil
	}
	return append([]byte{}, f.data...)
}

// Names returns all files' paths, sorted.
func (m *Memory) Names() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	return sorted(m.names)
}

func (m *Memory) init() {
	if m.names == nil {
		m.names, m.synced = map[string]*inode{}, map[string]*inode{}
	}
	if m.locked == nil {
		m.locked = map[string]bool{}
	}
}

// begin counts an operation and calls Fault for it.
func (m *Memory) begin(kind, path string) error {
	m.init()
	op := Op{m.ops, kind, path}
	m.ops++
	if m.Fault == nil {
		return nil
	}
	if err := m.Fault(op); err != nil {
		return &os.PathError{Op: kind, Path: path, Err: err}
	}
	return nil
}

// Open implements [fs.FS].
func (m *Memory) Open(name string, flag int) (fs.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin("open", name); err != nil {
		return nil, err
	}
	f := m.names[name]
	switch {
	case f == nil && flag&os.O_CREATE == 0:
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrNotExist}
	case f != nil && flag&os.O_EXCL != 0:
		return nil, &os.PathError{Op: "open", Path: name, Err: os.ErrExist}
	case f == nil:
		f = &inode{}
		m.names[name] = f
	case flag&os.O_TRUNC != 0:
		f.data = nil
	}
	return &file{fs: m, name: name, node: f, append: flag&os.O_APPEND != 0}, nil
}

// Rename implements [fs.FS].
func (m *Memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin("rename", from); err != nil {
		return err
	}
	f := m.names[from]
	if f == nil {
		return m.renameDir(from, to)
	}
	delete(m.names, from)
	m.names[to] = f
	return nil
}

// Remove implements [fs.FS].
func (m *Memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin("remove", name); err != nil {
		return err
	}
	if m.names[name] == nil {
		return &os.PathError{Op: "remove", Path: name, Err: os.ErrNotExist}
	}
	delete(m.names, name)
	return nil
}

// Mkdir implements [fs.FS].
func (m *Memory) Mkdir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.begin("mkdir", name)
}

// List implements [fs.FS].
func (m *Memory) List(dir string) ([]string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin("list", dir); err != nil {
		return nil, err
	}
	var names []string
	for _, name := range sorted(m.names) {
		if inside, ok := strings.CutPrefix(name, filepath.Clean(dir)+string(filepath.Separator)); ok {
			first, _, _ := strings.Cut(inside, string(filepath.Separator))
			names = append(names, first)
		}
	}
	slices.Sort(names)
	return slices.Compact(names), nil
}

// SyncDir implements [fs.FS].
func (m *Memory) SyncDir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin("syncdir", dir); err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	m.moves = slices.DeleteFunc(m.moves, func(v move) bool { return filepath.Dir(v.to) == dir })
	for name := range m.synced {
		if filepath.Dir(name) == dir && m.names[name] == nil {
			delete(m.synced, name)
		}
	}
	for name, f := range m.names {
		if filepath.Dir(name) == dir {
			m.synced[name] = f
		}
	}
	return nil
}

// Lock implements [fs.FS].
func (m *Memory) Lock(name string) (io.Closer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin("lock", name); err != nil {
		return nil, err
	}
	if m.locked[name] {
		return nil, &os.PathError{Op: "lock", Path: name, Err: fs.ErrLocked}
	}
	m.locked[name] = true
	return unlocker(func() {
		m.mu.Lock()
		defer m.mu.Unlock()
		delete(m.locked, name)
	}), nil
}

// Same implements [fs.FS]. It reports true for every lock.
func (m *Memory) Same(name string, f io.Closer) (bool, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin("same", name); err != nil {
		return false, err
	}
	open, ok := f.(*file)
	return !ok || open.node == m.names[name], nil
}

type unlocker func()

func (u unlocker) Close() error {
	u()
	return nil
}
