package faults

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// contents is all that a server holds: each key's type, value and time of expiry, in all databases, as words that are
// the same for the same contents.
func contents(t testing.TB, s *server) map[string]string {
	t.Helper()
	c, err := dial(s.addr)
	require.NoError(t, err)
	defer c.close()
	do := func(args ...any) any {
		v, err := c.do(args...)
		require.NoError(t, err, "%v: %s", args, s.output())
		if failure, failed := v.(resptest.Error); failed {
			t.Fatalf("%v: %v", args, failure)
		}
		return v
	}
	all := map[string]string{}
	for db := range 16 {
		do("SELECT", db)
		cursor := any("0")
		for {
			page := do("SCAN", cursor, "COUNT", 1000).([]any)
			for _, key := range page[1].([]any) {
				all[fmt.Sprintf("%d %s", db, key)] = fmt.Sprint(value(do, key), " until ", do("PEXPIRETIME", key))
			}
			if cursor = page[0]; cursor == "0" {
				break
			}
		}
	}
	return all
}

// value is what a key holds, in words.
func value(do func(...any) any, key any) string {
	switch kind := do("TYPE", key); kind {
	case resptest.Simple("string"):
		return fmt.Sprintf("string %q", do("GET", key))
	case resptest.Simple("zset"):
		return fmt.Sprintf("zset %q", do("ZRANGE", key, 0, -1, "WITHSCORES"))
	default:
		return fmt.Sprintf("%v %q", kind, do("DUMP", key))
	}
}

// copyDir copies a directory whose server is gone.
func copyDir(t testing.TB, from string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	require.NoError(t, os.CopyFS(to, os.DirFS(from)))
	return to
}

// files reads a directory: what each file in it holds, by its path from there.
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
