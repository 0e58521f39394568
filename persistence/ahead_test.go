package persistence

import (
	"testing"

	"cellserver/persistence/aof"
	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

const hour = int64(3600e9)

// keep makes a key hold an integer that expires at a millisecond.
func (s *server) keep(key string, n, expireAt int64) {
	tx := s.begin()
	defer tx.End()
	e := tx.Write([]byte(key))
	e.SetInt(n, expireAt)
}

// int is the integer that a key holds.
func (s *server) int(key string) int64 {
	tx := s.begin()
	defer tx.End()
	e := tx.Read([]byte(key))
	return e.Int()
}

// expiry is when a key expires, in Unix milliseconds.
func (s *server) expiry(key string) int64 {
	tx := s.begin()
	defer tx.End()
	e := tx.Read([]byte(key))
	return e.ExpireAt()
}

// A clock is an hour ahead, and is right at the next start.
func TestClocksThatWereAheadThrottleNobody(t *testing.T) {
	for name, change := range map[string]func(*Settings){
		"log": logged(aof.Always), "snapshot": func(set *Settings) { set.Save = nil },
	} {
		t.Run(name, func(t *testing.T) {
			files := &fstest.Memory{}
			s := started(t, files, change)
			s.now.Add(hour)
			files.Clock = s.Now
			ahead := s.Now()
			tat := ahead + 60e9 + 1
			require.True(t, s.told(func() {
				s.keep("user", tat, tat/1e6+1)
				s.keep("user of redis-cell", tat, tat/1e6-1)
				s.keep("done", ahead, ahead/1e6+1)
				s.keep("counter", 7, tat/1e6)
				s.keep("number", tat, store.NoExpiry)
			}))
			if name == "snapshot" {
				require.NoError(t, s.Save())
			}
			number := s.int("number")
			for range 2 { // once put back, they stay
				files = files.Kill()
				s = started(t, files, change)
				require.Len(t, s.contents(), 4)
				for _, user := range []string{"user", "user of redis-cell"} {
					require.Equal(t, begin+60e9+1, s.int(user))
					require.Equal(t, (begin+60e9)/1e6+1, s.expiry(user))
				}
				require.Equal(t, tat/1e6, s.expiry("counter"))
				require.Equal(t, number, s.int("number"))
			}
		})
	}
}

// Nothing is put back, and no file written anew, for less than a second, or for keys that
// are no limiters.
func TestClocksThatWereHardlyAhead(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, logged(aof.Always))
	files.Clock = func() int64 { return begin + aheadLimit }
	tat := begin + 60e9
	require.True(t, s.told(func() { s.keep("user", tat, tat/1e6) }))
	s = started(t, files.Kill(), logged(aof.Always))
	require.Equal(t, tat, s.int("user"))
}
