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

// A layout is the files of a directory that some server is to start on.
type layout struct {
	name  string
	files map[string]string // by path from the directory on
	keys  string            // that a server has which starts on it, sorted; "" for none
	wrong bool              // no server starts on it
}

// sets is a log that sets keys to themselves.
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

// manifests is what tests/integration/aof-multi-part.tcl of Redis 7.0 starts servers on, and more in that vein.
var manifests = []layout{
	{name: "all of it", keys: "a b c", files: with(baseLine + incr1Line + incr2Line)},
	{name: "nothing at all", files: map[string]string{}},
	{name: "an empty folder", files: map[string]string{"appendonlydir/": ""}},
	{name: "a missing base", wrong: true, files: without(with(baseLine+incr1Line+incr2Line), baseFile)},
	{name: "a missing increment", wrong: true, files: without(with(baseLine+incr1Line+incr2Line), incr1File)},
	{name: "a missing last increment", wrong: true, files: without(with(baseLine+incr1Line+incr2Line), incr2File)},
	{name: "numbers that fall", wrong: true, files: with(baseLine + incr2Line + incr1Line)},
	{name: "a number twice", wrong: true, files: with(baseLine + incr1Line + incr1Line)},
	{name: "a blank line", wrong: true, files: with(baseLine + "\n" + incr1Line)},
	{name: "two bases", wrong: true, files: with(baseLine + "file appendonly.aof.2.base.aof seq 2 type b\n" + incr1Line)},
	{name: "an unknown type", wrong: true, files: with("file appendonly.aof.1.base.aof seq 1 type x\n" + incr1Line)},
	{name: "an unknown first word", wrong: true, files: with("filx appendonly.aof.1.base.aof seq 1 type b\n" + incr1Line)},
	{name: "no number", wrong: true, files: with(baseLine + "file appendonly.aof.1.incr.aof type i\n")},
	{name: "no type", wrong: true, files: with(baseLine + "file appendonly.aof.1.incr.aof seq 1\n")},
	{name: "a number of zero", wrong: true, files: with("file appendonly.aof.1.base.aof seq 0 type b\n" + incr1Line)},
	{name: "a number that is none", wrong: true, files: with("file appendonly.aof.1.base.aof seq x type b\n" + incr1Line)},
	{name: "a line too long", wrong: true, files: with(strings.Repeat(strings.TrimSpace(baseLine)+" ", 40) + "\n" + incr1Line)},
	{name: "a word too many", wrong: true, files: with(baseLine + "file appendonly.aof.1.incr.aof seq 1 type i newkey\n")},
	{name: "a name with a folder", wrong: true, files: with("file ../appendonlydir/appendonly.aof.1.base.aof seq 1 type b\n" + incr1Line)},
	{name: "an open quote", wrong: true, files: with("file \"appendonly.aof.1.base.aof seq 1 type b\n" + incr1Line)},
	{name: "an empty manifest", wrong: true, files: with("")},
	{name: "a last line without an end", wrong: true, files: with(baseLine + strings.TrimSpace(incr1Line))},
	{name: "zeros", wrong: true, files: with(strings.Repeat("\x00", 80))},
	{name: "a torn last line", wrong: true, files: with(baseLine + incr1Line[:20])},
	{name: "a gap in the numbers", keys: "a b c", files: with(baseLine + incr1Line + "file appendonly.aof.2.incr.aof seq 7 type i\n")},
	{name: "words of a later version", keys: "a b", files: with("file appendonly.aof.1.base.aof seq 1 type b newkey newvalue\n" + incr1Line)},
	{name: "words in another order", keys: "a b", files: with("seq 1 type b file appendonly.aof.1.base.aof\n" + incr1Line)},
	{name: "quoted names", keys: "a b", files: with("file \"appendonly.aof.1.base.aof\" seq 1 type b\n" + incr1Line)},
	{name: "a remark", keys: "a b", files: with("# as it was\n" + baseLine + incr1Line)},
	{name: "no base", keys: "b c", files: with(incr1Line + incr2Line)},
	{name: "a base alone", keys: "a", files: with(baseLine)},
	{name: "the base last", keys: "a b", files: with(incr1Line + baseLine)},
	{name: "files of before", keys: "a c", files: with(baseLine + "file appendonly.aof.1.incr.aof seq 1 type h\n" + incr2Line)},
	{name: "files of before that are gone", keys: "a c", files: without(with(baseLine+"file appendonly.aof.1.incr.aof seq 1 type h\n"+incr2Line), incr1File)},
	{name: "an empty increment", keys: "a c", files: but(with(baseLine+incr1Line+incr2Line), incr1File, "")},
	{name: "files that nobody names", keys: "a", files: with(baseLine)},
	{name: "a manifest that was not finished", keys: "a b", files: but(with(baseLine+incr1Line), "appendonlydir/temp-appendonly.aof.manifest", baseLine)},
	{name: "a command in halves in the last file", keys: "a b", files: but(with(baseLine+incr1Line+incr2Line), incr2File, sets("c")[:20])},
	{name: "a command in halves before", wrong: true, files: but(with(baseLine+incr1Line+incr2Line), incr1File, sets("b")[:20])},
	{name: "a transaction in halves at the end", keys: "a b",
		files: but(with(baseLine+incr1Line+incr2Line), incr2File, string(resptest.Command("MULTI"))+sets("c", "d"))},
	{name: "a whole transaction", keys: "a b c d",
		files: but(with(baseLine+incr1Line+incr2Line), incr2File, string(resptest.Command("MULTI"))+sets("c", "d")+string(resptest.Command("EXEC")))},
	{name: "times in the log", keys: "a b c", files: but(with(baseLine+incr1Line+incr2Line), incr2File, "#TS:1700000000\r\n"+sets("c"))},
	{name: "no command", wrong: true, files: but(with(baseLine+incr1Line+incr2Line), incr1File, "SET b b\r\n")},
	{name: "an unknown command", wrong: true, files: but(with(baseLine+incr1Line+incr2Line), incr1File, string(resptest.Command("FROBNICATE", "b")))},
	{name: "another database", keys: "a b c", files: but(with(baseLine+incr1Line+incr2Line), incr2File, string(resptest.Command("SELECT", 0))+sets("c"))},
	{name: "one file, as before Redis 7", keys: "a b", files: map[string]string{"appendonly.aof": sets("a", "b")}},
	{name: "an upgrade to many that was interrupted", keys: "a b",
		files: map[string]string{"appendonly.aof": sets("a", "b"), manifestFile: "file appendonly.aof seq 1 type b\n"}},
	{name: "one file, in both places", keys: "c", files: map[string]string{
		"appendonly.aof": sets("a", "b"), "appendonlydir/appendonly.aof": sets("c"), manifestFile: "file appendonly.aof seq 1 type b\n"}},
	{name: "one file, in no place", wrong: true, files: map[string]string{manifestFile: "file appendonly.aof seq 1 type b\n"}},
}

// with is a directory with a manifest, and the files that it may name.
func with(manifest string) map[string]string {
	return map[string]string{manifestFile: manifest, baseFile: sets("a"), incr1File: sets("b"), incr2File: sets("c")}
}

func without(files map[string]string, name string) map[string]string {
	delete(files, name)
	return files
}

func but(files map[string]string, name, held string) map[string]string {
	files[name] = held
	return files
}

// TestManifests starts a server on directories as people, other versions and accidents leave them, and the real Redis
// beside it: they agree on which are in order, and on what is in these.
func TestManifests(t *testing.T) {
	ours := subject(t)
	for _, p := range []program{ours, theRedis(t)} {
		for _, x := range manifests {
			t.Run(p.name+"/"+x.name, func(t *testing.T) {
				dir := x.write(t)
				before := files(t, dir)
				s, err := p.tryStart(t, dir, appendOnly("everysec")...)
				if x.wrong {
					if err == nil {
						t.Fatalf("it starts, with %v", contents(t, s))
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
				// It goes on from there, and comes back.
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
