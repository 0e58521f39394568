package faults

import (
	"bytes"
	"fmt"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// A past is a directory of a server that has ended, and the size of its last file after each write. Each write was
// acknowledged before the next.
type past struct {
	dir   string
	last  string // the append-only file with the writes, relative to dir
	sizes []int  // sizes[n]: the size of that file after n writes
}

// newPast starts a server, rewrites its append-only file and makes n writes. Each write has its own counter and text.
func newPast(t *testing.T, p program, n int) past {
	t.Helper()
	x := past{dir: t.TempDir()}
	s := p.start(t, x.dir, appendOnly("always")...) // with other policies, the real Redis may reply before it writes
	c, err := dial(s.addr)
	require.NoError(t, err)
	defer c.close()
	for i := range 100 {
		_, err = c.do("SET", fmt.Sprint("old ", i), i)
		require.NoError(t, err)
		_, err = c.do("ZADD", "board", i, i)
		require.NoError(t, err)
	}
	s.rewrite(t)
	x.last = lastFile(t, x.dir)
	for i := 0; ; i++ {
		info, err := os.Stat(filepath.Join(x.dir, x.last))
		require.NoError(t, err)
		x.sizes = append(x.sizes, int(info.Size()))
		if i == n {
			break
		}
		// Some values are long, so that cuts fall into them too.
		_, err = c.do("SET", fmt.Sprint("new ", i), strings.Repeat("x", i%7*20), "PX", 1<<40)
		require.NoError(t, err)
	}
	s.kill()
	return x
}

// lastFile returns the append-only file that a server of this directory writes to, relative to the directory.
func lastFile(t *testing.T, dir string) string {
	t.Helper()
	b, err := os.ReadFile(filepath.Join(dir, "appendonlydir", "appendonly.aof.manifest"))
	require.NoError(t, err)
	lines := strings.Split(strings.TrimSpace(string(b)), "\n")
	words := strings.Fields(lines[len(lines)-1])
	require.Equal(t, []string{"type", "i"}, words[len(words)-2:], "%s", b)
	return filepath.Join("appendonlydir", words[1])
}

// writes returns how many whole writes are in the first bytes of the last file.
func (x past) writes(bytes int) int {
	n, whole := slices.BinarySearch(x.sizes, bytes)
	if whole {
		return n
	}
	return n - 1
}

// cutCopy copies the directory. In the copy, the last file has its first bytes only, followed by tail.
func (x past) cutCopy(t *testing.T, bytes int, tail []byte) string {
	t.Helper()
	dir := copyDir(t, x.dir)
	path := filepath.Join(dir, x.last)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, append(b[:bytes:bytes], tail...), 0o644))
	return dir
}

// found returns how many writes a server has. They must be the first writes, and all older keys must be there.
func (x past) found(t *testing.T, s *server) int {
	t.Helper()
	all := contents(t, s)
	n := 0
	for ; ; n++ {
		if _, there := all[fmt.Sprint("0 new ", n)]; !there {
			break
		}
	}
	require.Len(t, all, 101+n, "a write is missing before a later one, or older keys are missing")
	return n
}

// TestTornTail cuts the last file at every byte of its last 4 KiB, as a crash does, and appends zeros or garbage,
// as a power cut does. The server must start with every whole write and keep a copy of what it cuts off. Its next
// start must find nothing to repair.
func TestTornTail(t *testing.T) {
	p := subject(t)
	x := newPast(t, p, 60)
	size := x.sizes[len(x.sizes)-1]
	r := random(t)
	last := min(4096, size)
	step := max(1, last/rounds(20, last))
	n := 0
	for cut := size - r.Intn(step); cut >= size-last; cut -= step {
		n++
		tails := map[string][]byte{
			"nothing": nil,
			"zeros":   make([]byte, 512-cut%512),
			"garbage": garbage(r),
		}
		for name, tail := range tails {
			dir := x.cutCopy(t, cut, tail)
			torn := files(t, dir)[x.last]
			s := p.start(t, dir, appendOnly("everysec")...)
			require.Equal(t, x.writes(cut), x.found(t, s), "%s after byte %d of %d, sizes %v:\n%s", name, cut, size, x.sizes, s.output())
			s.kill()
			x.keptTail(t, dir, torn)
			before := files(t, dir)
			s = p.start(t, dir, appendOnly("everysec")...)
			require.Equal(t, x.writes(cut), x.found(t, s), "at the second start:\n%s", s.output())
			s.kill()
			for name, held := range files(t, dir) {
				if strings.Contains(name, "torn") {
					require.Equal(t, before[name], held, "the second start repaired something: %s", name)
				}
			}
		}
	}
	t.Logf("%d cuts in the last %d bytes, each followed by nothing, zeros and garbage", n, last)
}

// keptTail requires that every byte of the last file still exists: in the file, or in the copy of its torn tail.
func (x past) keptTail(t *testing.T, dir, before string) {
	t.Helper()
	after := files(t, dir)
	all := after[x.last]
	for name, held := range after {
		if strings.HasPrefix(name, x.last) && name != x.last {
			all += held
		}
	}
	require.Equal(t, before, all, "the torn tail has no copy: %v", slices.Collect(maps.Keys(after)))
}

// garbage returns bytes that a write which was cut short may leave: random bytes, or the beginning of a command. It
// returns no whole commands, because a Redis may have appended those.
func garbage(r *rand.Rand) []byte {
	b := make([]byte, 1+r.Intn(600))
	r.Read(b)
	if r.Intn(2) == 0 {
		return append([]byte("*3\r\n$3\r\nSET\r\n$1000000\r\n"), b...)
	}
	return b
}

// refuses requires that a server does not start on the directory, names the damaged file, and changes
// nothing.
func refuses(t *testing.T, p program, dir, file string, args ...string) {
	t.Helper()
	before := files(t, dir)
	s, err := p.tryStart(t, dir, args...)
	refused(t, s, err, dir, before, file)
	require.Contains(t, s.output(), filepath.Base(file))
}

// refused requires that a server has ended by itself with an error, and has changed nothing.
func refused(t *testing.T, s *server, err error, dir string, before map[string]string, what string) {
	t.Helper()
	require.ErrorIs(t, err, errEnded, what)
	require.Equal(t, 1, s.code, "%s: %s", what, s.output())
	require.NotContains(t, s.output(), "goroutine ", what)
	unchanged(t, dir, before, what)
}

// base returns the base of the log, relative to the directory.
func (x past) base(t *testing.T) string {
	t.Helper()
	for name := range files(t, x.dir) {
		if strings.Contains(name, ".base.") {
			return name
		}
	}
	t.Fatal("no base")
	return ""
}

// TestDamageInTheMiddle has damage that no crash can leave. The server must not start, and must change nothing.
func TestDamageInTheMiddle(t *testing.T) {
	p := subject(t)
	x := newPast(t, p, 40)
	args := appendOnly("everysec")
	base := x.base(t)
	change := func(dir, name string, f func([]byte) []byte) {
		path := filepath.Join(dir, name)
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		require.NoError(t, os.WriteFile(path, f(b), 0o644))
	}
	flip := func(at int) func([]byte) []byte {
		return func(b []byte) []byte { b[at] ^= 1; return b }
	}
	cut := func(b []byte) []byte { return b[:len(b)-5] }
	t.Run("a bit in the middle of the last file", func(t *testing.T) {
		dir := copyDir(t, x.dir)
		change(dir, x.last, flip((x.sizes[10]+x.sizes[11])/2))
		refuses(t, p, dir, x.last, args...)
	})
	t.Run("zeros in the middle of the last file", func(t *testing.T) {
		dir := copyDir(t, x.dir)
		change(dir, x.last, func(b []byte) []byte { clear(b[x.sizes[10]:x.sizes[12]]); return b })
		refuses(t, p, dir, x.last, args...)
	})
	t.Run("a bit in the base", func(t *testing.T) {
		dir := copyDir(t, x.dir)
		change(dir, base, func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
		refuses(t, p, dir, base, args...)
	})
	t.Run("a torn base", func(t *testing.T) {
		dir := copyDir(t, x.dir)
		change(dir, base, cut)
		refuses(t, p, dir, base, args...)
	})
	t.Run("no base", func(t *testing.T) {
		dir := copyDir(t, x.dir)
		require.NoError(t, os.Remove(filepath.Join(dir, base)))
		refuses(t, p, dir, base, args...)
	})
	t.Run("no last file", func(t *testing.T) {
		dir := copyDir(t, x.dir)
		require.NoError(t, os.Remove(filepath.Join(dir, x.last)))
		refuses(t, p, dir, x.last, args...)
	})
	next := func(dir string) {
		manifest := filepath.Join("appendonlydir", "appendonly.aof.manifest")
		change(dir, manifest, func(b []byte) []byte {
			_, list, _ := bytes.Cut(b, []byte{'\n'}) // the first line has the checksum
			return append(list, "file appendonly.aof.99.incr.aof seq 99 type i\n"...)
		})
		require.NoError(t, os.WriteFile(filepath.Join(dir, "appendonlydir", "appendonly.aof.99.incr.aof"),
			resptest.Command("SET", "later", 1), 0o644))
	}
	t.Run("a torn tail in a file before the last", func(t *testing.T) {
		dir := copyDir(t, x.dir)
		change(dir, x.last, cut)
		next(dir)
		refuses(t, p, dir, x.last, args...)
	})
	t.Run("zeros at the end of a file before the last", func(t *testing.T) {
		dir := copyDir(t, x.dir)
		change(dir, x.last, func(b []byte) []byte { return append(b, make([]byte, 100)...) })
		next(dir)
		refuses(t, p, dir, x.last, args...)
	})
	t.Run("a missing file before the last", func(t *testing.T) {
		dir := copyDir(t, x.dir)
		next(dir)
		require.NoError(t, os.Remove(filepath.Join(dir, x.last)))
		refuses(t, p, dir, x.last, args...)
	})
	t.Run("a damaged snapshot", func(t *testing.T) {
		dir := t.TempDir()
		s := p.start(t, dir, "--appendonly", "no")
		s.do(t, "SET", "a", "long enough to have something in the middle")
		require.Equal(t, resptest.Simple("OK"), s.do(t, "SAVE"))
		s.kill()
		change(dir, "dump.rdb", func(b []byte) []byte { b[len(b)/2] ^= 1; return b })
		refuses(t, p, dir, "dump.rdb", "--appendonly", "no")
	})
	t.Run("an intact file before the last", func(t *testing.T) {
		dir := copyDir(t, x.dir)
		next(dir)
		s := p.start(t, dir, args...)
		defer s.kill()
		require.Equal(t, "1", s.do(t, "GET", "later"))
	})
}

// TestBitFlips flips single bits of all files. The server must name the damaged file, or the flip must change nothing.
// A length that becomes large must take no memory.
func TestBitFlips(t *testing.T) {
	p := subject(t)
	p.memory = 256 << 20
	x := newPast(t, p, 40)
	dir := copyDir(t, x.dir)
	s := p.start(t, dir, appendOnly("everysec")...)
	whole := contents(t, s)
	require.Equal(t, resptest.Simple("OK"), s.do(t, "SAVE"))
	s.kill()
	snapshot, err := os.ReadFile(filepath.Join(dir, "dump.rdb"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(x.dir, "dump.rdb"), snapshot, 0o644))
	r := random(t)
	n := rounds(60, 1000)
	outcomes := map[string]int{}
	names := []string{x.last, x.base(t), manifestFile, "dump.rdb"}
	for i := range n {
		outcomes[x.flip(t, p, names[i%len(names)], r, whole)]++
	}
	t.Logf("%d flips: %v", n, outcomes)
}

// flip flips one bit of a file. It returns what the server did then.
func (x past) flip(t *testing.T, p program, name string, r *rand.Rand, whole map[string]string) string {
	t.Helper()
	dir := copyDir(t, x.dir)
	path := filepath.Join(dir, name)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	at, bit := r.Intn(len(b)), r.Intn(8)
	b[at] ^= 1 << bit
	require.NoError(t, os.WriteFile(path, b, 0o644))
	what := fmt.Sprintf("bit %d of byte %d of %d in %s", bit, at, len(b), name)
	args := appendOnly("everysec")
	if name == "dump.rdb" {
		args = noLog
	}
	before := files(t, dir)
	s, err := p.tryStart(t, dir, args...)
	if err != nil {
		refused(t, s, err, dir, before, what)
		return "refused"
	}
	defer s.kill()
	if name == x.last && at >= x.sizes[len(x.sizes)-2] {
		// The bit is in the last write: the server may take it for a torn tail.
		require.GreaterOrEqual(t, x.found(t, s), len(x.sizes)-2, what)
		return "cut off as a torn tail"
	}
	holds(t, s, whole, what)
	return "harmless"
}

// TestTwoServersOnOneDirectory requires that the second server does not start, and changes nothing.
func TestTwoServersOnOneDirectory(t *testing.T) {
	p := subject(t)
	dir := t.TempDir()
	first := p.start(t, dir, appendOnly("always")...)
	require.Equal(t, resptest.Simple("OK"), first.do(t, "SET", "a", 1))
	before := files(t, dir)
	for _, args := range [][]string{appendOnly("always"), {"--appendonly", "no", "--save", "60 1"}} {
		second, err := p.tryStart(t, dir, args...)
		require.ErrorIs(t, err, errEnded, "%v", args)
		require.Positive(t, second.code)
		require.Contains(t, second.output(), dir)
		unchanged(t, dir, before, second.output())
	}
	require.Equal(t, resptest.Simple("OK"), first.do(t, "SET", "b", 2))
	first.kill()
	// The kernel unlocks the directory when the process ends.
	again := p.start(t, dir, appendOnly("always")...)
	require.Equal(t, []any{"1", "2"}, again.do(t, "MGET", "a", "b"))
	again.kill()
}
