package persistence

import (
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

// TestFilesFromTheFutureThrottleNobody writes files while the clock is an hour ahead. At the next start the clock is
// right.
func TestFilesFromTheFutureThrottleNobody(t *testing.T) {
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
			require.True(t, s.acknowledged(func() {
				s.set("user", tat, tat/1e6+1)
				s.set("user of redis-cell", tat, tat/1e6-1)
				s.set("done", ahead, ahead/1e6+1)
				s.set("counter", 7, tat/1e6)
				s.set("number", tat, store.NoExpiry)
			}))
			if name == "snapshot" {
				require.NoError(t, s.Save())
			}
			number := s.int("number")
			for range 2 { // the second start corrects nothing
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

// TestSmallDifferencesAreIgnored has a clock that is a second ahead: nothing is corrected.
func TestSmallDifferencesAreIgnored(t *testing.T) {
	files := &fstest.Memory{}
	s := started(t, files, logged(aof.Always))
	files.Clock = func() int64 { return begin + maxClockSkew }
	tat := begin + 60e9
	require.True(t, s.acknowledged(func() { s.set("user", tat, tat/1e6) }))
	s = started(t, files.Kill(), logged(aof.Always))
	require.Equal(t, tat, s.int("user"))
}
