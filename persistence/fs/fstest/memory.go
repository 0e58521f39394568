// Package fstest is a file system in memory for tests: every operation can be made to fail,
// and the power can be cut between any two.
package fstest

import (
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"cellserver/persistence/fs"
)

// Op is an operation on its way.
type Op struct {
	N    int    // how many came before it
	Kind string // open, read, write, sync, truncate, rename, remove, mkdir, list, syncdir, lock
	Path string
}

// Short is an error of [Memory.Fault] that lets the first bytes of a write through.
type Short struct {
	Bytes int
	Err   error
}

// Error gives the reason.
func (s *Short) Error() string { return s.Err.Error() }

// Unwrap gives the reason.
func (s *Short) Unwrap() error { return s.Err }

// Memory is a file system in memory; its zero value has no files. Directories need not be
// made. It is safe for concurrent use.
type Memory struct {
	// Fault is asked before each operation; its error is the operation's, which then does
	// nothing. Nil lets everything through. It is called with the file system locked.
	Fault func(Op) error
	// Clock is the time that files get when they are written to, in Unix nanoseconds; nil
	// stops it at 0.
	Clock func() int64

	mu     sync.Mutex
	ops    int
	names  map[string]*inode // as processes see them
	lasts  map[string]*inode // as they would be after a power cut
	locked map[string]bool
}

// inode is a file's contents.
type inode struct {
	data   []byte
	synced []byte // what a power cut leaves

	changed int64 // by the clock
}

var _ fs.FS = (*Memory)(nil)

// Ops returns how many operations there have been.
func (m *Memory) Ops() int {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.ops
}

// Kill returns the files as the next process finds them when this one was killed: what it
// wrote is there. What the old process still does is not seen.
func (m *Memory) Kill() *Memory {
	return m.survivors(func(*Memory) map[string]*inode { return m.names }, func(f *inode) []byte { return f.data })
}

// PowerCut returns the files as the next process finds them when the power was cut. What
// was synced is there. Of what was not, r decides: a part of the bytes, zeros instead of
// them, or nothing, and for each directory its names as they were or are; nil for nothing.
func (m *Memory) PowerCut(r *rand.Rand) *Memory {
	names := func(*Memory) map[string]*inode { return m.lasts }
	data := func(f *inode) []byte { return f.synced }
	if r != nil {
		names = func(*Memory) map[string]*inode { return m.eitherNames(r) }
		data = func(f *inode) []byte { return f.remains(r) }
	}
	return m.survivors(names, data)
}

func (m *Memory) survivors(names func(*Memory) map[string]*inode, data func(*inode) []byte) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	next := &Memory{names: map[string]*inode{}, lasts: map[string]*inode{}}
	from := names(m)
	for _, name := range sorted(from) {
		b := data(from[name])
		f := &inode{data: slices.Clone(b), synced: slices.Clone(b), changed: from[name].changed}
		next.names[name], next.lasts[name] = f, f
	}
	return next
}

// eitherNames takes each directory's names as they are or as they last.
func (m *Memory) eitherNames(r *rand.Rand) map[string]*inode {
	of := map[string]map[string]*inode{}
	mixed := map[string]*inode{}
	for _, all := range []map[string]*inode{m.names, m.lasts} {
		for _, name := range sorted(all) {
			dir := filepath.Dir(name)
			if of[dir] == nil {
				of[dir] = [...]map[string]*inode{m.names, m.lasts}[r.IntN(2)]
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

// remains is what may be left of a file of which not everything was synced.
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

// Put makes a file that lasts.
func (m *Memory) Put(name string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.init()
	f := &inode{data: slices.Clone(data), synced: slices.Clone(data)}
	m.names[name], m.lasts[name] = f, f
}

// Get returns a file's bytes, nil when there is none.
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
		m.names, m.lasts = map[string]*inode{}, map[string]*inode{}
	}
	if m.locked == nil {
		m.locked = map[string]bool{}
	}
}

// begin counts an operation and asks whether it may happen.
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
		return &os.PathError{Op: "rename", Path: from, Err: os.ErrNotExist}
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
		if filepath.Dir(name) == filepath.Clean(dir) {
			names = append(names, filepath.Base(name))
		}
	}
	return names, nil
}

// SyncDir implements [fs.FS].
func (m *Memory) SyncDir(dir string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := m.begin("syncdir", dir); err != nil {
		return err
	}
	dir = filepath.Clean(dir)
	for name := range m.lasts {
		if filepath.Dir(name) == dir && m.names[name] == nil {
			delete(m.lasts, name)
		}
	}
	for name, f := range m.names {
		if filepath.Dir(name) == dir {
			m.lasts[name] = f
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

type unlocker func()

func (u unlocker) Close() error {
	u()
	return nil
}
