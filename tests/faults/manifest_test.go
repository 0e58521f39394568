package faults

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// A layout has the files of a directory on which a server starts.
type layout struct {
	name  string
	files map[string]string // by relative path
	keys  string            // the keys of a server that starts on it, sorted; "" for none
	wrong bool              // servers refuse to start on it
	loses bool              // Redis ignores a part of it, and cellserver refuses to start on it
}

// sets returns a log that sets each key to its own name.
func sets(keys ...string) string {
	var b []byte
	for _, k := range keys {
		b = append(b, resptest.Command("SET", k, k)...)
	}
	return string(b)
}

const (
	manifestFile = "appendonlydir/appendonly.aof.manifest"
	baseFile     = "appendonlydir/appendonly.aof.1.base.aof"
	incr1File    = "appendonlydir/appendonly.aof.1.incr.aof"
	incr2File    = "appendonlydir/appendonly.aof.2.incr.aof"
	baseLine     = "file appendonly.aof.1.base.aof seq 1 type b\n"
	incr1Line    = "file appendonly.aof.1.incr.aof seq 1 type i\n"
	incr2Line    = "file appendonly.aof.2.incr.aof seq 2 type i\n"
)

// manifests has the cases of tests/integration/aof-multi-part.tcl of Redis 7.0, and similar ones.
var manifests = []layout{
	{name: "a base and two increments", keys: "a b c", files: with(baseLine + incr1Line + incr2Line)},
	{name: "an empty directory", files: map[string]string{}},
	{name: "an empty log directory", files: map[string]string{"appendonlydir/": ""}},
	{name: "a missing base", wrong: true, files: without(with(baseLine+incr1Line+incr2Line), baseFile)},
	{name: "a missing increment", wrong: true, files: without(with(baseLine+incr1Line+incr2Line), incr1File)},
	{name: "a missing last increment", wrong: true, files: without(with(baseLine+incr1Line+incr2Line), incr2File)},
	{name: "descending numbers", wrong: true, files: with(baseLine + incr2Line + incr1Line)},
	{name: "a number twice", wrong: true, files: with(baseLine + incr1Line + incr1Line)},
	{name: "a blank line", wrong: true, files: with(baseLine + "\n" + incr1Line)},
	{name: "two bases", wrong: true, files: with(baseLine + "file appendonly.aof.2.base.aof seq 2 type b\n" + incr1Line)},
	{name: "an unknown type", wrong: true, files: with("file appendonly.aof.1.base.aof seq 1 type x\n" + incr1Line)},
	{name: "an unknown first word", wrong: true, files: with("filx appendonly.aof.1.base.aof seq 1 type b\n" + incr1Line)},
	{name: "no number", wrong: true, files: with(baseLine + "file appendonly.aof.1.incr.aof type i\n")},
	{name: "no type", wrong: true, files: with(baseLine + "file appendonly.aof.1.incr.aof seq 1\n")},
	{name: "a number of zero", wrong: true, files: with("file appendonly.aof.1.base.aof seq 0 type b\n" + incr1Line)},
	{name: "an invalid number", wrong: true, files: with("file appendonly.aof.1.base.aof seq x type b\n" + incr1Line)},
	{name: "a line that is too long", wrong: true, files: with(strings.Repeat(strings.TrimSpace(baseLine)+" ", 40) + "\n" + incr1Line)},
	{name: "an odd number of words", wrong: true, files: with(baseLine + "file appendonly.aof.1.incr.aof seq 1 type i newkey\n")},
	{name: "a name with a directory", wrong: true, files: with("file ../appendonlydir/appendonly.aof.1.base.aof seq 1 type b\n" + incr1Line)},
	{name: "an unclosed quote", wrong: true, files: with("file \"appendonly.aof.1.base.aof seq 1 type b\n" + incr1Line)},
	{name: "an empty manifest", wrong: true, files: with("")},
	{name: "a last line without a newline", wrong: true, files: with(baseLine + strings.TrimSpace(incr1Line))},
	{name: "zeros", wrong: true, files: with(strings.Repeat("\x00", 80))},
	{name: "a torn last line", wrong: true, files: with(baseLine + incr1Line[:20])},
	{name: "a gap in the numbers", keys: "a b c", files: with(baseLine + incr1Line + "file appendonly.aof.2.incr.aof seq 7 type i\n")},
	{name: "words of a newer version", keys: "a b", files: with("file appendonly.aof.1.base.aof seq 1 type b newkey newvalue\n" + incr1Line)},
	{name: "words in another order", keys: "a b", files: with("seq 1 type b file appendonly.aof.1.base.aof\n" + incr1Line)},
	{name: "quoted names", keys: "a b", files: with("file \"appendonly.aof.1.base.aof\" seq 1 type b\n" + incr1Line)},
	{name: "a comment", keys: "a b", files: with("# as it was\n" + baseLine + incr1Line)},
	{name: "no base", keys: "b c", files: with(incr1Line + incr2Line)},
	{name: "a base only", keys: "a", files: with(baseLine)},
	{name: "the base last", keys: "a b", files: with(incr1Line + baseLine)},
	{name: "a history file", keys: "a c", files: with(baseLine + "file appendonly.aof.1.incr.aof seq 1 type h\n" + incr2Line)},
	{name: "a missing history file", keys: "a c", files: without(with(baseLine+"file appendonly.aof.1.incr.aof seq 1 type h\n"+incr2Line), incr1File)},
	{name: "an empty increment", keys: "a c", files: but(with(baseLine+incr1Line+incr2Line), incr1File, "")},
	{name: "increments that the manifest does not list", keys: "a", loses: true,
		files: but(but(with(baseLine), incr1File, sets("b")), incr2File, sets("c"))},
	{name: "a newer base that the manifest does not list", keys: "a b", loses: true,
		files: but(with(baseLine+incr1Line), "appendonlydir/appendonly.aof.2.base.aof", sets("a", "b", "c"))},
	{name: "a lost manifest", loses: true, files: without(with(baseLine+incr1Line), manifestFile)},
	{name: "a log with another name", loses: true, files: map[string]string{
		"appendonlydir/other.aof.1.incr.aof": sets("a"), "appendonlydir/other.aof.manifest": "file other.aof.1.incr.aof seq 1 type i\n"}},
	{name: "a log in another directory", loses: true, files: map[string]string{
		"logs/appendonly.aof.1.incr.aof": sets("a"), "logs/appendonly.aof.manifest": incr1Line}},
	{name: "one file beside a log of Redis 7", keys: "a b", loses: true, files: but(with(baseLine+incr1Line), "appendonly.aof", sets("z"))},
	{name: "an unfinished manifest", keys: "a b", files: but(with(baseLine+incr1Line), "appendonlydir/temp-appendonly.aof.manifest", baseLine)},
	{name: "a torn command in the last file", keys: "a b", files: but(with(baseLine+incr1Line+incr2Line), incr2File, sets("c")[:20])},
	{name: "a torn command in a file before the last", wrong: true, files: but(with(baseLine+incr1Line+incr2Line), incr1File, sets("b")[:20])},
	{name: "a torn transaction at the end", keys: "a b",
		files: but(with(baseLine+incr1Line+incr2Line), incr2File, string(resptest.Command("MULTI"))+sets("c", "d"))},
	{name: "a whole transaction", keys: "a b c d",
		files: but(with(baseLine+incr1Line+incr2Line), incr2File, string(resptest.Command("MULTI"))+sets("c", "d")+string(resptest.Command("EXEC")))},
	{name: "timestamps in the log", keys: "a b c", files: but(with(baseLine+incr1Line+incr2Line), incr2File, "#TS:1700000000\r\n"+sets("c"))},
	{name: "no command", wrong: true, files: but(with(baseLine+incr1Line+incr2Line), incr1File, "SET b b\r\n")},
	{name: "an unknown command", wrong: true, files: but(with(baseLine+incr1Line+incr2Line), incr1File, string(resptest.Command("FROBNICATE", "b")))},
	{name: "another database", keys: "a b c", files: but(with(baseLine+incr1Line+incr2Line), incr2File, string(resptest.Command("SELECT", 0))+sets("c"))},
	{name: "one file, as before Redis 7", keys: "a b", files: map[string]string{"appendonly.aof": sets("a", "b")}},
	{name: "an interrupted conversion from one file", keys: "a b",
		files: map[string]string{"appendonly.aof": sets("a", "b"), manifestFile: "file appendonly.aof seq 1 type b\n"}},
	{name: "one file, in both places", keys: "c", loses: true, files: map[string]string{
		"appendonly.aof": sets("a", "b"), "appendonlydir/appendonly.aof": sets("c"), manifestFile: "file appendonly.aof seq 1 type b\n"}},
	{name: "one file, missing in both places", wrong: true, files: map[string]string{manifestFile: "file appendonly.aof seq 1 type b\n"}},
}

// with returns the files of a directory with a manifest: those that the manifest names.
func with(manifest string) map[string]string {
	all := map[string]string{manifestFile: manifest}
	for name, key := range map[string]string{baseFile: "a", incr1File: "b", incr2File: "c"} {
		if strings.Contains(manifest, filepath.Base(name)) {
			all[name] = sets(key)
		}
	}
	return all
}

func without(files map[string]string, name string) map[string]string {
	delete(files, name)
	return files
}

func but(files map[string]string, name, held string) map[string]string {
	files[name] = held
	return files
}

// TestManifests starts cellserver and the real Redis on the same directories. Both must accept the same directories,
// with the same keys. But cellserver refuses those of which Redis ignores a part.
func TestManifests(t *testing.T) {
	ours := subject(t)
	for _, p := range []program{ours, theRedis(t)} {
		for _, x := range manifests {
			t.Run(p.name+"/"+x.name, func(t *testing.T) {
				dir := x.write(t)
				before := files(t, dir)
				s, err := p.tryStart(t, dir, appendOnly("everysec")...)
				if x.wrong || x.loses && p.name == cells.name {
					if err == nil {
						t.Fatalf("the server starts, with %v", contents(t, s))
					}
					require.ErrorIs(t, err, errEnded)
					require.Equal(t, 1, s.code, "%s", s.output())
					if p.name == cells.name {
						unchanged(t, dir, before, s.output())
					}
					return
				}
				require.NoError(t, err)
				defer s.kill()
				want := map[string]string{}
				for _, k := range strings.Fields(x.keys) {
					want["0 "+k] = fmt.Sprintf("string %q until -1", k)
				}
				holds(t, s, want, x.name)
				// The server continues the log and starts again.
				require.Equal(t, resptest.Simple("OK"), s.do(t, "SET", "next", "next"))
				want["0 next"] = `string "next" until -1`
				s.rewrite(t)
				s.kill()
				s = p.start(t, dir, appendOnly("everysec")...)
				defer s.kill()
				holds(t, s, want, "after a rewrite")
			})
		}
	}
}

func (x layout) write(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, held := range x.files {
		path := filepath.Join(dir, name)
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		if strings.HasSuffix(name, "/") {
			require.NoError(t, os.MkdirAll(path, 0o755))
			continue
		}
		require.NoError(t, os.WriteFile(path, []byte(held), 0o644))
	}
	return dir
}
