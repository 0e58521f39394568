package faults

import (
	"fmt"
	"math/rand"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// follows starts a server that follows another one.
func (p program) follows(t testing.TB, dir string, master *server, args ...string) *server {
	t.Helper()
	args = append(args, "--replicaof", "127.0.0.1", master.port())
	return p.start(t, dir, append(args, appendOnly("everysec")...)...)
}

// caughtUp waits until a server has all that its master has. Nobody writes to the master.
func (s *server) caughtUp(t testing.TB, master *server) {
	t.Helper()
	at, of := "", ""
	require.True(t, within(10*patience, func() (bool, error) {
		at, of = s.info(t, "slave_repl_offset"), master.info(t, "master_repl_offset")
		return at == of && s.info(t, "master_link_status") == "up", nil
	}), "it is at %s of %s\n%s", at, of, s.output())
}

// left ends that a server follows, and requires that it has all keys of its former master.
func (s *server) left(t testing.TB, master *server) {
	t.Helper()
	s.caughtUp(t, master)
	require.Equal(t, "", s.info(t, "master_left_out"))
	require.Equal(t, resptest.Simple("OK"), s.do(t, "REPLICAOF", "NO", "ONE"))
	require.True(t, same(t, contents(t, master), contents(t, s)), "%s", s.output())
}

// TestMoveThroughKills kills the master and the server that follows it, in turn, while clients write. The server has
// every acknowledged write in the end.
func TestMoveThroughKills(t *testing.T) {
	t.Parallel()
	r, from, to := random(t), theRedis(t), subject(t)
	dirs := [2]string{t.TempDir(), t.TempDir()}
	args := append(appendOnly("no"), "--repl-diskless-sync-delay", "0") // with everysec, Redis replies before it writes while the disk is slow
	master := from.start(t, dirs[0], args...)
	from.fixed = master.port()
	master.do(t, "DEBUG", "POPULATE", 50_000, "old", 100)
	s := to.follows(t, dirs[1], master)
	l, stopped := newLoad(from, r, 10, 20, 8), 0
	l.begin(master.addr)
	for round := range rounds(6, 60) {
		time.Sleep(time.Duration(r.Int63n(int64(500 * time.Millisecond)))) // the kill comes during the copy, or the stream
		if round%2 == 0 {
			s.kill()
			s = to.follows(t, dirs[1], master)
			continue
		}
		master.kill()
		l.end(t)
		master = from.start(t, dirs[0], args...)
		l.check(t, master, time.Now()).nothingLost(t, master)
		stopped++
		l.begin(master.addr)
	}
	time.Sleep(100 * time.Millisecond)
	l.end(t)
	s.left(t, master)
	v := l.check(t, s, time.Now())
	v.nothingLost(t, s)
	require.Positive(t, v.acked)
	s.do(t, "SET", "mine", 1)
	s.kill()
	s = to.follows(t, dirs[1], master) // REPLICAOF NO ONE has ended that
	require.Equal(t, "1", s.do(t, "GET", "mine"))
	l.check(t, s, time.Now()).nothingLost(t, s)
	t.Logf("%d acknowledged writes, %d kills of the master", v.acked, stopped)
}

// peak returns the most memory that a process has had, in MiB. It begins anew each time.
func (s *server) peak(t testing.TB) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	require.NoError(t, err)
	_, rest, _ := strings.Cut(string(text), "VmHWM:")
	kib, err := strconv.Atoi(strings.Fields(rest)[0])
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", s.pid), []byte("5"), 0))
	return kib >> 10
}

// TestMoveThatReadsSlowly holds the server back while its master writes much. Neither of them keeps it in memory: the
// master gives the link up at its bound, and the server takes a copy later.
func TestMoveThatReadsSlowly(t *testing.T) {
	t.Parallel()
	master := theRedis(t).start(t, t.TempDir(), "--save", "", "--repl-diskless-sync-delay", "0",
		"--client-output-buffer-limit", "replica 16mb 16mb 60")
	s := subject(t).follows(t, t.TempDir(), master)
	s.caughtUp(t, master)
	before := [2]int{master.peak(t), s.peak(t)}
	require.Equal(t, resptest.Simple("OK"), s.do(t, "CLIENT", "PAUSE", 600_000, "WRITE"))
	for i := range 300 {
		master.do(t, "SET", fmt.Sprint("k", i%8), strings.Repeat("x", 1<<20))
	}
	grown := [2]int{master.peak(t) - before[0], s.peak(t) - before[1]}
	t.Logf("the master took %d MiB more, and the server %d MiB", grown[0], grown[1])
	require.Less(t, grown[0], 100)
	require.Less(t, grown[1], 50)
	s.do(t, "CLIENT", "UNPAUSE")
	s.left(t, master)
}

// TestMoveOfManyKeys moves keys while clients write, and measures. MOVE_KEYS is how many there are.
func TestMoveOfManyKeys(t *testing.T) {
	t.Parallel()
	n := 100_000
	if text := os.Getenv("MOVE_KEYS"); text != "" {
		var err error
		n, err = strconv.Atoi(text)
		require.NoError(t, err)
	}
	from := theRedis(t)
	master := from.start(t, t.TempDir(), "--save", "", "--repl-diskless-sync-delay", "0",
		"--client-output-buffer-limit", "replica 0 0 0")
	master.do(t, "DEBUG", "POPULATE", n, "old", 100)
	l := newLoad(from, rand.New(rand.NewSource(1)), 4, 20, 8)
	begun := time.Now()
	s := subject(t).follows(t, t.TempDir(), master)
	l.begin(master.addr)
	require.True(t, within(10*patience, func() (bool, error) { return s.info(t, "master_link_status") == "up", nil }),
		"%s", s.output())
	took := time.Since(begun)
	l.end(t)
	ended := time.Now()
	s.caughtUp(t, master)
	behind := time.Since(ended)
	used, err := strconv.Atoi(s.info(t, "used_memory"))
	require.NoError(t, err)
	peaks := [2]int{master.peak(t), s.peak(t)}
	t.Logf("%d keys in %v, and the changes meanwhile in %v: the keys take %d MiB, the server took %d MiB and the master %d MiB "+
		"at most", n, took, behind, used>>20, peaks[1], peaks[0])
	require.Less(t, peaks[1], 3*used>>20+100)
	require.Equal(t, master.do(t, "DBSIZE"), s.do(t, "DBSIZE"))
	l.check(t, s, time.Now()).nothingLost(t, s)
}
