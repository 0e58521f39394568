package faults

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// contents returns the type, the value and the expiry of each key in all databases, as texts. Equal
// contents have equal texts.
func contents(t testing.TB, s *server) map[string]string {
	t.Helper()
	all, err := s.contents()
	require.NoError(t, err, "%s", s.output())
	return all
}

// contents is the function contents, with an error if the server does not answer all of it.
func (s *server) contents() (map[string]string, error) {
	c, err := dial(s.addr)
	if err != nil {
		return nil, err
	}
	defer c.close()
	all := map[string]string{}
	for db := range 16 {
		if _, err := c.do("SELECT", db); err != nil {
			return nil, err
		}
		cursor := any("0")
		for {
			page, err := c.do("SCAN", cursor, "COUNT", 500)
			if err != nil {
				return nil, err
			}
			parts, is := page.([]any)
			if !is {
				return nil, fmt.Errorf("SCAN: %v", page)
			}
			keys := parts[1].([]any)
			words, err := describe(c, keys)
			if err != nil {
				return nil, err
			}
			for i, key := range keys {
				if words[i] != "" {
					all[fmt.Sprintf("%d %s", db, key)] = words[i]
				}
			}
			if cursor = parts[0]; cursor == "0" {
				break
			}
		}
	}
	return all, nil
}

// describe returns the contents of keys as texts, or "" for keys that have expired meanwhile.
func describe(c *conn, keys []any) ([]string, error) {
	words := make([]string, len(keys))
	types, err := c.each(keys, func(any) []any { return []any{"TYPE"} })
	if err != nil {
		return nil, err
	}
	read := map[any][]any{}
	for i, key := range keys {
		switch types[i] {
		case resptest.Simple("string"):
			read[key] = []any{"GET"}
		case resptest.Simple("zset"):
			read[key] = []any{"ZRANGE", 0, -1, "WITHSCORES"}
		default:
			read[key] = []any{"DUMP"}
		}
	}
	values, err := c.each(keys, func(key any) []any { return read[key] })
	if err != nil {
		return nil, err
	}
	expiries, err := c.each(keys, func(any) []any { return []any{"PEXPIRETIME"} })
	for i := range keys {
		if expiries[i] != int64(-2) {
			if scored, ok := values[i].([]any); ok {
				for at := 1; at < len(scored); at += 2 {
					if scored[at] == "-0" {
						scored[at] = "0" // Redis's own compact encoding has no negative zero
					}
				}
			}
			words[i] = fmt.Sprintf("%v %q until %v", types[i], values[i], expiries[i])
		}
	}
	return words, err
}

// each sends a command for each key and returns the replies.
func (c *conn) each(keys []any, command func(key any) []any) ([]any, error) {
	var b []byte
	for _, key := range keys {
		words := command(key)
		b = append(b, resptest.Command(slices.Insert(slices.Clone(words), 1, key)...)...)
	}
	if _, err := c.nc.Write(b); err != nil {
		return nil, err
	}
	replies := make([]any, len(keys))
	for i := range keys {
		var err error
		if replies[i], err = c.receive(); err != nil {
			return nil, err
		}
		if refused, is := replies[i].(resptest.Error); is {
			return nil, refused
		}
	}
	return replies, nil
}

// holds requires that a server has the contents want, and names the keys that differ.
func holds(t testing.TB, s *server, want map[string]string, why string) {
	t.Helper()
	if same(t, want, contents(t, s)) {
		return
	}
	t.Fatalf("%s:\n%s", why, s.output())
}

// unchanged requires that a directory's files have not changed, except for the lock file.
func unchanged(t testing.TB, dir string, before map[string]string, why string) {
	t.Helper()
	after := files(t, dir)
	delete(before, "LOCK")
	delete(after, "LOCK")
	if !same(t, before, after) {
		t.Fatal(why)
	}
}

// same reports whether two maps are equal, and logs the differences.
func same(t testing.TB, want, got map[string]string) bool {
	t.Helper()
	if maps.Equal(want, got) {
		return true
	}
	both := maps.Clone(want)
	maps.Copy(both, got)
	n := 0
	for _, key := range slices.Sorted(maps.Keys(both)) {
		if want[key] != got[key] {
			if n++; n <= 5 {
				t.Logf("%.100q is %.300q, not %.300q", key, got[key], want[key])
			}
		}
	}
	t.Logf("%d of %d differ", n, len(both))
	return false
}

// copyDir copies a directory that no server uses.
func copyDir(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	return to
}

// files returns the contents of all files in a directory, by relative path.
func files(t testing.TB, dir string) map[string]string {
	t.Helper()
	all := map[string]string{}
	require.NoError(t, filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		b, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		all[name] = string(b)
		return err
	}))
	return all
}
