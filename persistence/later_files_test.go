package persistence

import (
	"fmt"
	"testing"

	"cellserver/persistence/aof"
	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

const hour = int64(3600e9)

// set gives a key an integer and an expiry in Unix milliseconds.
func (s *server) set(key string, n, expireAt int64) {
	tx := s.begin()
	defer tx.End()
	e := tx.Write([]byte(key))
	e.SetInt(n, expireAt)
}

// int returns the integer that a key holds.
func (s *server) int(key string) int64 {
	tx := s.begin()
	defer tx.End()
	e := tx.Read([]byte(key))
	return e.Int()
}

// expiry returns when a key expires, in Unix milliseconds.
func (s *server) expiry(key string) int64 {
	tx := s.begin()
	defer tx.End()
	e := tx.Read([]byte(key))
	return e.ExpireAt()
}

// TestFilesFromTheFuture writes files while the clock is an hour ahead. At the next start the clock is behind: the time goes
// on from that of the files, so every limit has the rest that it had, and no value changes. Once the clock is right, the
// time follows it.
func TestFilesFromTheFuture(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"log": logged(aof.Always), "snapshot": func(set *Settings) { set.Save = nil },
	} {
		t.Run(name, func(t *testing.T) {
			files := &fstest.Memory{}
			s := started(t, files, change)
			s.now.Add(hour)
			ahead := s.Now()
			tat := ahead + 60e9 + 1
			require.True(t, s.acknowledged(func() {
				s.set("user", tat, tat/1e6+1)
				s.set("counter", 7, tat/1e6)
				s.set("number", tat, store.NoExpiry)
			}))
			if name == "snapshot" {
				require.NoError(t, s.Save())
			}
			for clock, want := range map[int64]int64{
				begin - 1000*hour: ahead / 1e9 * 1e9, begin: ahead / 1e9 * 1e9, ahead - 5e9: ahead - 5e9, ahead + 30e9: ahead + 30e9,
			} {
				again := newServer(t, files.Kill(), change)
				again.now.Store(clock)
				require.NoError(t, again.Start(t.Context()))
				require.Equal(t, want, again.Now())
				require.InDelta(t, clock/1e9, again.LastSave(), 1, "no save yet: the start, by the wall clock")
				require.Equal(t, []int64{tat, 7, tat}, []int64{again.int("user"), again.int("counter"), again.int("number")})
				require.NoError(t, again.Save())
				require.InDelta(t, clock/1e9, again.LastSave(), 1, "by the wall clock")
				require.Equal(t, fmt.Sprint(again.LastSave()), again.info("rdb_last_save_time"))
				require.Equal(t, tat/1e6+1, again.expiry("user"))
				require.Equal(t, tat/1e6, again.expiry("counter"))
			}
			later := newServer(t, files.Kill(), change)
			later.now.Store(ahead + 61e9)
			require.NoError(t, later.Start(t.Context()))
			require.Equal(t, tat, later.int("number"))
			require.Zero(t, later.int("user"), "it has expired")
		})
	}
}

// TestTheTimeThatWasSetBack: the clock was an hour ahead, and clock-step-limit 0 has set the time back. The next start goes
// on from what the log says last, also if the base is from the hour ahead. Otherwise all that clients have written since
// would be over. A transaction that began a little earlier sets nothing back.
func TestTheTimeThatWasSetBack(t *testing.T) {
	for _, rewritten := range []bool{false, true} {
		files := &fstest.Memory{}
		s := started(t, files, logged(aof.Always))
		write := func(at int64) {
			s.now.Store(at)
			require.True(t, s.acknowledged(func() { s.put(1, "a") }))
		}
		restarted := func() int64 {
			again := newServer(t, files.Kill(), logged(aof.Always))
			again.now.Store(begin)
			require.NoError(t, again.Start(t.Context()))
			return again.Now()
		}
		write(begin + hour)
		if rewritten {
			require.NoError(t, s.BackgroundRewrite())
			s.wait()
			write(begin + hour + 20e9)
		}
		write(begin + hour + 10e9)
		require.GreaterOrEqual(t, restarted(), begin+hour+10e9-1e9)
		write(begin + 5e9)
		require.Equal(t, begin, restarted())
		write(begin + hour)
		files = files.Kill()
		s = started(t, files, logged(aof.Always)) // with a further file
		write(begin + 5e9)
		require.Equal(t, begin, restarted())
	}
}

// TestTheTimeOfTheLogGoesOn begins a log while the clock is ahead, and restarts again and again with a clock that is behind.
// The time never goes back by more than the second that the log notes.
func TestTheTimeOfTheLogGoesOn(t *testing.T) {
	files := &fstest.Memory{}
	last := begin + hour
	for range 5 {
		s := newServer(t, files, logged(aof.Always))
		s.now.Store(begin)
		require.NoError(t, s.Start(t.Context()))
		if last > begin+hour {
			require.GreaterOrEqual(t, s.Now(), last-1e9)
		}
		s.now.Store(last + 90e9)
		last = s.Now()
		require.True(t, s.acknowledged(func() { s.put(1, "a") }))
		files = files.Kill()
	}
}
