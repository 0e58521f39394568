package faults

import (
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// limiter returns cellserver: only it has CL.THROTTLE.
func limiter(t *testing.T) program {
	t.Helper()
	p := subject(t)
	if p.name != cells.name {
		t.Skip("the real Redis has no CL.THROTTLE") // this skip is never a failure
	}
	return p
}

// at stops the server's clock at a time.
func (s *server) at(t *testing.T, moment time.Time) {
	t.Helper()
	require.Equal(t, resptest.Simple("OK"), s.do(t, "DEBUG", "CLOCK", "SET", moment.UnixNano()))
}

// throttle sends a CL.THROTTLE for 30 requests a minute, at most 16 at once.
func (s *server) throttle(t *testing.T, key string) (limited bool, reply []int64) {
	t.Helper()
	for _, v := range s.do(t, "CL.THROTTLE", key, 15, 30, 60).([]any) {
		reply = append(reply, v.(int64))
	}
	return reply[0] == 1, reply
}

// TestClockStepsBack restarts a server after the clock of the machine was an hour ahead and was corrected. No user may
// be limited for longer than by a bucket that is empty now.
func TestClockStepsBack(t *testing.T) {
	p := limiter(t)
	dir := t.TempDir()
	now := time.Now()
	s := p.start(t, dir, appendOnly("everysec")...)
	s.at(t, now.Add(time.Hour))
	for limited := false; !limited; {
		limited, _ = s.throttle(t, "exhausted")
	}
	s.throttle(t, "used")
	s.kill()
	// The files have the times of that clock.
	for name := range files(t, dir) {
		require.NoError(t, os.Chtimes(filepath.Join(dir, name), now.Add(time.Hour), now.Add(time.Hour)))
	}
	s = p.start(t, dir, appendOnly("everysec")...)
	defer s.kill()
	const window = 33 // seconds: 16 requests, one in 2 s, and the time between two starts
	for _, key := range []string{"exhausted", "used"} {
		_, reply := s.throttle(t, key)
		require.LessOrEqual(t, reply[3], int64(window), "retry_after of %s", key)
		require.LessOrEqual(t, reply[4], int64(window), "reset_after of %s", key)
	}
	s.at(t, now.Add(time.Hour+window*time.Second))
	for _, key := range []string{"exhausted", "used"} {
		limited, reply := s.throttle(t, key)
		require.False(t, limited, "%s is limited: %v", key, reply)
	}
}

// TestClockStepsForward restarts a server after the clock of the machine was an hour behind and was corrected. Keys
// that have expired by the right clock must be gone, and all others must be there.
func TestClockStepsForward(t *testing.T) {
	p := limiter(t)
	dir := t.TempDir()
	now := time.Now()
	s := p.start(t, dir, appendOnly("everysec")...)
	s.at(t, now.Add(-time.Hour))
	s.throttle(t, "soon")
	s.do(t, "CL.THROTTLE", "late", 15, 1, 86400)
	s.do(t, "SET", "within the hour", 1, "EX", 3599)
	s.do(t, "SET", "later", 1, "EX", 7200)
	s.do(t, "SET", "for ever", 1)
	late := s.do(t, "GET", "late")
	s.kill()
	s = p.start(t, dir, appendOnly("everysec")...)
	defer s.kill()
	s.at(t, now)
	require.Equal(t, []any{resptest.NilBulk, late, resptest.NilBulk, "1", "1"}, s.do(t, "MGET", "soon", "late", "within the hour", "later", "for ever"))
	require.Equal(t, int64(3600_000), s.do(t, "PTTL", "later"))
}

// TestRestartRefillsNothing requires that a restart does not change a bucket: it must have the state of a server that
// never stopped. redis-cell runs the old requests again, which fills the bucket.
func TestRestartRefillsNothing(t *testing.T) {
	p := limiter(t)
	for _, ending := range []string{"kill", "rewrite", "snapshot"} {
		for _, away := range []time.Duration{0, time.Second, 10 * time.Second, 31 * time.Second, time.Hour} {
			now := time.Now() // a server that starts sees the real time: the bucket must not be full again then
			var replies [2][][]int64
			for restarted := range 2 {
				dir := t.TempDir()
				args := appendOnly("everysec")
				if ending == "snapshot" {
					args = []string{"--appendonly", "no", "--save", ""}
				}
				s := p.start(t, dir, args...)
				s.at(t, now)
				for range 20 { // four of them are limited
					_, reply := s.throttle(t, "user")
					replies[restarted] = append(replies[restarted], reply)
				}
				if restarted == 1 {
					switch ending {
					case "rewrite":
						s.rewrite(t)
					case "snapshot":
						require.Equal(t, resptest.Simple("OK"), s.do(t, "SAVE"))
					}
					s.kill()
					s = p.start(t, dir, args...)
				}
				s.at(t, now.Add(away))
				for range 3 {
					_, reply := s.throttle(t, "user")
					replies[restarted] = append(replies[restarted], reply)
				}
				s.kill()
			}
			require.Equal(t, replies[0], replies[1], "%s, %v later", ending, away)
		}
	}
}

// TestStateOfRedisCell loads data of a Redis with redis-cell, which keeps a TAT as a plain number that expires. The
// next decision must be the same as that of redis-cell.
func TestStateOfRedisCell(t *testing.T) {
	p, theirs := limiter(t), theRedis(t)
	now := time.Now()
	for name, args := range map[string][]string{"snapshot": {"--appendonly", "no"}, "append-only file": appendOnly("everysec")} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			s := theirs.start(t, dir, args...)
			tat := now.Add(600 * time.Second)
			s.do(t, "SET", "user", tat.UnixNano(), "PXAT", tat.UnixMilli())
			if name == "snapshot" {
				require.Equal(t, resptest.Simple("OK"), s.do(t, "SAVE"))
			}
			s.kill()
			s = p.start(t, dir, args...)
			defer s.kill()
			s.at(t, now)
			require.Equal(t, []any{int64(0), int64(16), int64(10), int64(-1), int64(720)}, s.do(t, "CL.THROTTLE", "user", 15, 30, 3600))
			s.kill()
			// The way back: a Redis loads our data and must have the same number.
			if name == "snapshot" {
				return // the file was not rewritten
			}
			s = theirs.start(t, dir, args...)
			defer s.kill()
			require.Equal(t, strconv.FormatInt(tat.Add(120*time.Second).UnixNano(), 10), s.do(t, "GET", "user"))
		})
	}
}

// TestLogOfRedisCell loads a log of redis-cell, which logs the requests themselves. Running them again would throttle
// users for old requests. So the server must refuse the log and say what to do.
func TestLogOfRedisCell(t *testing.T) {
	p := limiter(t)
	dir := t.TempDir()
	log := string(resptest.Command("SELECT", 0)) + string(resptest.Command("cl.throttle", "user", 15, 30, 60, 1))
	require.NoError(t, os.Mkdir(filepath.Join(dir, "appendonlydir"), 0o755))
	require.NoError(t, os.WriteFile(filepath.Join(dir, manifestFile), []byte(incr1Line), 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(dir, incr1File), []byte(log), 0o644))
	refuses(t, p, dir, incr1File, appendOnly("everysec")...)
	refuses(t, p, dir, "BGREWRITEAOF", appendOnly("everysec")...)
}
