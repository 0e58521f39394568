package raftlog

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"maps"
	"runtime"
	"slices"
	"sync"

	"cellserver/persistence/fs"
)

// stable has the values that Raft keeps in addition to the log: the term and the vote. The file has a
// CRC-32C of the rest, a version in 1 byte, and the values. For each value there are the size of its key in
// 1 byte, its own size in 2 bytes, the key and the value.
type stable struct {
	mu     sync.Mutex        // guards values, and is held while their file is replaced
	values map[string][]byte // as on disk
}

const (
	stableVersion = 1
	// maxStable is the largest size of the file in bytes. Raft has three small values.
	maxStable = 64 << 10
)

// Set stores a value, on disk before it returns.
func (s *Store) Set(key, val []byte) error {
	s.stable.mu.Lock()
	defer s.stable.mu.Unlock()
	if old, ok := s.stable.values[string(key)]; ok && bytes.Equal(old, val) {
		return s.failure()
	}
	next := maps.Clone(s.stable.values)
	next[string(key)], next[markKey] = bytes.Clone(val), []byte{1}
	text, err := encodeStable(next)
	if err != nil {
		return err
	}
	return s.change(func() error {
		err := fs.WriteFile(s.files, s.stablePath(), text)
		if err == nil {
			s.stable.values = next
		}
		return err
	})
}

// Get returns a value, and nil if there is none.
func (s *Store) Get(key []byte) ([]byte, error) {
	s.stable.mu.Lock()
	defer s.stable.mu.Unlock()
	return bytes.Clone(s.stable.values[string(key)]), nil
}

// SetUint64 stores a number, on disk before it returns.
func (s *Store) SetUint64(key []byte, val uint64) error {
	return s.Set(key, binary.LittleEndian.AppendUint64(nil, val))
}

// GetUint64 returns a number, and 0 if there is none.
func (s *Store) GetUint64(key []byte) (uint64, error) {
	b, err := s.Get(key)
	if err != nil || len(b) == 0 {
		return 0, err
	}
	if len(b) != 8 {
		return 0, fmt.Errorf("the value %q in %s is not a number", key, s.stablePath())
	}
	return binary.LittleEndian.Uint64(b), nil
}

// OrEnd is a store for Raft, which panics if it cannot write the term or the vote. The failure of the disk
// ends the node anyway, so a failed write ends the goroutine of Raft instead. Its deferred calls run, so
// callers that wait for it get an answer.
type OrEnd struct{ *Store }

// Set implements [raft.StableStore].
func (s OrEnd) Set(key, val []byte) error { return orEnd(s.Store.Set(key, val)) }

// SetUint64 implements [raft.StableStore].
func (s OrEnd) SetUint64(key []byte, val uint64) error { return orEnd(s.Store.SetUint64(key, val)) }

func orEnd(err error) error {
	if err != nil {
		runtime.Goexit()
	}
	return nil
}

// load reads the file. It reports whether the file exists.
func (s *stable) load(files fs.FS, path string) (exists bool, err error) {
	s.values = map[string][]byte{}
	text, err := fs.ReadFile(files, path, maxStable)
	if err != nil {
		return false, fs.IgnoreMissing(err)
	}
	if s.values, err = parseStable(text); err != nil {
		return false, fmt.Errorf("%s is damaged: %w. Restore it from a copy, or remove its directory: then the node joins the cluster as a new one", path, err)
	}
	return true, nil
}

func encodeStable(values map[string][]byte) ([]byte, error) {
	text := []byte{0, 0, 0, 0, stableVersion}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		val := values[key]
		if len(key) > 255 || len(val) > maxStable-1 {
			return nil, fmt.Errorf("the value %.60q is too large: its key has %d bytes, and the value %d",
				key, len(key), len(val))
		}
		text = append(text, byte(len(key)))
		text = binary.LittleEndian.AppendUint16(text, uint16(len(val)))
		text = append(append(text, key...), val...)
	}
	if len(text) > maxStable {
		return nil, fmt.Errorf("the values have %d bytes, more than %d", len(text), maxStable)
	}
	binary.LittleEndian.PutUint32(text, crc32.Checksum(text[sumSize:], castagnoli))
	return text, nil
}

func parseStable(text []byte) (map[string][]byte, error) {
	switch {
	case len(text) < 5 || len(text) > maxStable:
		return nil, fmt.Errorf("it has %d bytes", len(text))
	case binary.LittleEndian.Uint32(text) != crc32.Checksum(text[sumSize:], castagnoli):
		return nil, errors.New("its checksum is wrong")
	case text[4] != stableVersion:
		return nil, fmt.Errorf("it has version %d, and this server knows version %d only",
			text[4], stableVersion)
	}
	values := map[string][]byte{}
	for rest := text[5:]; len(rest) > 0; {
		if len(rest) < 3 {
			return nil, errors.New("it ends within a value")
		}
		keySize, size := int(rest[0]), int(binary.LittleEndian.Uint16(rest[1:]))
		if rest = rest[3:]; len(rest) < keySize+size {
			return nil, errors.New("it ends within a value")
		}
		values[string(rest[:keySize])] = bytes.Clone(rest[keySize : keySize+size])
		rest = rest[keySize+size:]
	}
	return values, nil
}
