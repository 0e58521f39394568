//go:build linux && amd64

package faults

import (
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// A saver is a client that writes a number, saves a snapshot, and goes on with the next number.
type saver struct {
	written int64
	saved   int64     // the last number whose save the server acknowledged
	at      time.Time // when the server acknowledged it
}

// run saves six times, every second time in the background. It ends early if the server is gone.
func (v *saver) run(s *server) {
	for range 6 {
		if !v.once(s) {
			return
		}
	}
}

// once writes and saves. It reports whether the server answered.
func (v *saver) once(s *server) bool {
	c, err := dial(s.addr)
	if err != nil {
		return false
	}
	defer c.close()
	v.written++
	if _, err := c.do("SET", "number", v.written); err != nil {
		return false
	}
	saved := false
	if v.written%2 == 1 {
		reply, err := c.do("SAVE")
		if err != nil {
			return false
		}
		saved = reply == resptest.Simple("OK")
	} else {
		if _, err := c.do("BGSAVE"); err != nil || !idle(s) {
			return false
		}
		reply, err := c.do("INFO", "persistence")
		if err != nil {
			return false
		}
		saved = infoFields(reply)["rdb_last_bgsave_status"] == "ok"
	}
	if saved {
		v.saved, v.at = v.written, time.Now()
	}
	return true
}

// recovered requires that a server has the last saved number or a later one. The saver continues with it.
func (v *saver) recovered(t *testing.T, s *server) {
	t.Helper()
	n, _, err := one(s.do(t, "GET", "number"))
	require.NoError(t, err)
	require.GreaterOrEqual(t, n, v.saved, "%s", s.output())
	require.LessOrEqual(t, n, v.written, "%s", s.output())
	v.written = n
}

// everySave is everyCall for a server that saves snapshots.
func everySave(t *testing.T, p program, share int, worst func(t *testing.T, c call)) {
	t.Helper()
	var all []call
	s, err := p.startTraced(t, t.TempDir(), func(c call) fault {
		all = append(all, c)
		return fault{}
	}, noLog...)
	require.NoError(t, err)
	var v saver
	v.run(s)
	require.Equal(t, int64(6), v.saved, "%s", s.output())
	s.kill()
	each(t, all, share, worst)
}

func TestKillAtEveryCallOfSave(t *testing.T) {
	p := subject(t)
	everySave(t, p, 8, func(t *testing.T, c call) {
		dir := t.TempDir()
		var v saver
		s, err := p.startTraced(t, dir, func(now call) fault { return fault{kill: now.n == c.n} }, noLog...)
		require.NoError(t, err)
		v.run(s)
		s.kill()
		s = p.start(t, dir, noLog...)
		v.recovered(t, s)
		// An unfinished snapshot is no obstacle.
		v.run(s)
		require.Equal(t, v.written, v.saved)
		s.kill()
	})
}

func TestPowerCutAtEveryCallOfSave(t *testing.T) {
	p := subject(t)
	everySave(t, p, 8, func(t *testing.T, c call) {
		d := newDisk(t, 64, "data=ordered")
		how := []uint32{cutHard, cutJournal}[c.n%2]
		d.arm(t)
		var v saver
		s, err := p.startTraced(t, d.dir, func(now call) fault {
			if now.n != c.n {
				return fault{}
			}
			if err := d.cut(how); err != nil {
				t.Error(err)
			}
			return fault{kill: true}
		}, noLog...)
		require.NoError(t, err)
		v.run(s)
		s.kill()
		d.restore(t)
		s = p.start(t, d.dir, noLog...)
		v.recovered(t, s)
		s.kill()
	})
}

// TestErrorAtEveryCallOfSave requires that a failed snapshot leaves the old one and no other file, and that the next
// one succeeds.
func TestErrorAtEveryCallOfSave(t *testing.T) {
	p := subject(t)
	everySave(t, p, 8, func(t *testing.T, c call) {
		dir := t.TempDir()
		var v saver
		var over atomic.Bool // this life may make a few calls less, and the next snapshots must not fail
		s, err := p.startTraced(t, dir, func(now call) fault {
			if now.n != c.n || over.Load() {
				return fault{}
			}
			if strings.HasSuffix(now.name, "sync") {
				return fault{errno: ioError}
			}
			return fault{errno: noSpace}
		}, noLog...)
		if err != nil {
			require.ErrorIs(t, err, errEnded)
			require.Positive(t, s.code)
			return
		}
		v.run(s)
		over.Store(true)
		require.True(t, s.alive(), "%s", s.output())
		require.True(t, v.once(s)) // in the foreground
		require.True(t, v.once(s)) // in the background
		require.Equal(t, v.written, v.saved, "the next snapshots fail too:\n%s", s.output())
		for name := range files(t, dir) {
			require.NotContains(t, name, "temp")
		}
		s.kill()
		s = p.start(t, dir, noLog...)
		v.recovered(t, s)
		s.kill()
	})
}
