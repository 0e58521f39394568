package attacks

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"path/filepath"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// bigValue is the size of the value that the requests of a few bytes name.
const bigValue = 10 << 20

// TestBigValuesThatMove sends 18 KB of requests that rename a value of 10 MB 600 times, under a maxmemory of 64 MB. Each
// RENAME once logged the whole value, and nothing bounded the batch: the process took 5.6 GB and ended (Redis: 21 MB).
// Now the log has the names alone.
func TestBigValuesThatMove(t *testing.T) {
	for _, s := range []*server{start(t, "--maxmemory", "64mb", "--appendonly", "yes"), startRedis(t, "--maxmemory", "64mb", "--appendonly", "yes")} {
		s.guard(400 << 20)
		c := s.dial()
		require.Equal(t, resptest.Simple("OK"), c.Do("SET", "a", string(make([]byte, bigValue))))
		var requests bytes.Buffer
		for range 300 {
			requests.WriteString("RENAME a b\r\nRENAME b a\r\n")
		}
		begun := time.Now()
		s.sendAll(requests.Bytes(), 600, "+OK")
		t.Logf("600 renames: %v", time.Since(begun))
		requests.Reset()
		for range 150 {
			requests.WriteString("MOVE a 1\r\nSELECT 1\r\nMOVE a 0\r\nSELECT 0\r\n")
		}
		s.sendAll(requests.Bytes(), 600, "")
		_, peak := s.memory()
		t.Logf("memory %d MB, log %d MB", peak>>20, s.logBytes()>>20)
		require.Less(t, s.logBytes(), int64(2*bigValue))
		require.Equal(t, bigValue, len(c.Do("GET", "a").(string)))
		s.alive()
	}
}

// TestBigValuesThatAreCopied sends COPY and ZUNIONSTORE of large values. The log has each copy as a whole, but what waits
// for the log is bounded: the server writes it before the next command.
func TestBigValuesThatAreCopied(t *testing.T) {
	s := start(t, "--maxmemory", "64mb", "--appendonly", "yes", "--auto-aof-rewrite-percentage", "0")
	s.guard(400 << 20)
	c := s.dial()
	require.Equal(t, resptest.Simple("OK"), c.Do("SET", "a", string(make([]byte, bigValue))))
	n := rounds(60, 600)
	s.sendAll(bytes.Repeat([]byte("COPY a b REPLACE\r\n"), n), n, ":1")
	c.Do("DEL", "b", "a")
	s.fillSet("z", 20_000)
	s.sendAll(bytes.Repeat([]byte("ZUNIONSTORE y 1 z\r\n"), n), n, ":20000")
	now, peak := s.memory()
	t.Logf("memory %d MB, at most %d MB", now>>20, peak>>20)
	s.alive()
}

// TestBigValuesInATransaction has all copies in one EXEC. Their changes wait until it ends, and the log encodes them. So
// commands are refused once their changes take too much memory. Before, 600 copies took 6 GB.
func TestBigValuesInATransaction(t *testing.T) {
	s := start(t, "--maxmemory", "64mb", "--appendonly", "yes")
	s.guard(600 << 20)
	c := s.dial()
	require.Equal(t, resptest.Simple("OK"), c.Do("SET", "a", string(make([]byte, bigValue))))
	c.Do("MULTI")
	for range 100 {
		require.Equal(t, resptest.Simple("QUEUED"), c.Do("COPY", "a", "b", "REPLACE"))
	}
	require.Equal(t, resptest.Simple("QUEUED"), c.Do("RENAME", "b", "d"))
	replies := c.Do("EXEC").([]any)
	require.Equal(t, int64(1), replies[2])
	require.ErrorContains(t, replies[99].(error), "OOM the changes of the transaction take too much memory")
	require.Equal(t, resptest.Simple("OK"), replies[100], "a command that needs no memory runs")
	s.alive()
}

// TestASetReplacesAnother renames a large set over another one: "write tmp, RENAME over live". A bystander must not wait.
func TestASetReplacesAnother(t *testing.T) {
	s := start(t, "--appendonly", "yes")
	s.guard(2 << 30)
	members, c := rounds(100_000, 1_000_000), s.dial()
	s.fillSet("live", members)
	s.fillSet("tmp", members)
	idle := start(t)
	quick(t, time.Millisecond, func() time.Duration {
		other, still := s.watch(), idle.watch()
		for range 200 {
			for _, names := range [][3]string{{"tmp", "live"}, {"live", "tmp"}} {
				require.Equal(t, resptest.Simple("OK"), c.Do("RENAME", names[0], names[1]))
			}
		}
		p50, p99, longest := other.waits()
		machine, _, _ := still.waits()
		t.Logf("PING while sets of %d members are renamed: p50 %v, p99 %v, longest %v; of an idle server: p50 %v", members, p50, p99, longest, machine)
		return p50 - machine
	})
}

// TestCopiesOfABigSet copies a large set, alone and in a transaction, beside other clients. The log has the whole set,
// but nobody waits while it is copied and encoded: that took 33 ms and more. A client that changes nothing does not
// wait while the log is written, either. Before, the event loop waited 85 ms for a million members. Only changes wait,
// because the log keeps their order. The best of some copies counts, beside that of an idle server, because the
// machine may be busy.
func TestCopiesOfABigSet(t *testing.T) {
	s := start(t, "--appendonly", "yes", "--auto-aof-rewrite-percentage", "0", "--maxmemory", "512mb")
	s.guard(2 << 30)
	c := s.dial()
	s.fillSet("z", rounds(200_000, 1_000_000))
	idle := start(t)
	for _, lines := range [][]string{{"COPY z y REPLACE"}, {"MULTI", "COPY z y REPLACE", "EXEC"}} {
		best := [4]time.Duration{time.Hour, time.Hour, time.Hour, time.Hour}
		for range rounds(10, 20) {
			others := []*bystander{s.watch(), s.watchWith("GET", "n"), s.watchWith("INCR", "n"), idle.watch()}
			for _, line := range lines {
				c.Do(toArgs(line)...)
			}
			time.Sleep(20 * time.Millisecond) // real time: the log is written
			for i, other := range others {
				_, _, longest := other.waits()
				best[i] = min(best[i], longest)
			}
		}
		t.Logf("beside %q the longest PING took %v, GET %v, INCR %v; of an idle server %v", lines, best[0], best[1], best[2], best[3])
		require.Less(t, best[0]-best[3], 25*time.Millisecond)
		require.Less(t, best[1]-best[3], 25*time.Millisecond)
		require.Less(t, best[2]-best[3], 100*time.Millisecond)
	}
}

// sendAll sends requests at once, and reads this number of lines. If want is not "", each must be want.
func (s *server) sendAll(requests []byte, lines int, want string) {
	s.t.Helper()
	nc := s.connect()
	go nc.Write(requests)
	require.NoError(s.t, nc.SetReadDeadline(time.Now().Add(2*time.Minute)))
	in := bufio.NewScanner(nc)
	for n := range lines {
		require.True(s.t, in.Scan(), "after %d replies: %v", n, in.Err())
		if want != "" {
			require.Equal(s.t, want, in.Text())
		}
	}
}

// fillSet makes a sorted set.
func (s *server) fillSet(key string, members int) {
	s.t.Helper()
	c := s.dial()
	for from := 0; from < members; from += 1000 {
		args := []any{"ZADD", key}
		for i := from; i < from+1000; i++ {
			args = append(args, i, fmt.Sprint("member:", i))
		}
		c.Do(args...)
	}
}

// logBytes returns the size of the append-only file.
func (s *server) logBytes() (bytes int64) {
	s.t.Helper()
	require.NoError(s.t, filepath.WalkDir(filepath.Join(s.dir, "appendonlydir"), func(_ string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			info, err := d.Info()
			if err == nil {
				bytes += info.Size()
			}
		}
		return nil
	}))
	return bytes
}
