//go:build linux && amd64

package faults

import (
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestContrast requires known losses of the real Redis 7.0. It proves that these tests notice a loss, and it lists
// what cellserver does better.
func TestContrast(t *testing.T) {
	p := theRedis(t)
	t.Run("without syncs, a power cut loses acknowledged writes", func(t *testing.T) {
		d := newDisk(t, 64, "data=ordered,"+noCommits)
		s := p.start(t, d.dir, appendOnly("no")...)
		l := newLoad(p, random(t), 1, 1, 8)
		require.True(t, l.once(t, s.addr))
		d.arm(t)
		cut := time.Now()
		require.NoError(t, d.cut(cutHard))
		s.kill()
		d.restore(t)
		s = p.start(t, d.dir, appendOnly("no")...)
		v := l.check(t, s, cut)
		require.Equal(t, v.acked, v.lost)
		require.Positive(t, v.lost)
		require.Positive(t, v.window)
	})
	t.Run("after a failed sync, Redis trusts the next sync", func(t *testing.T) {
		t.Parallel()
		trustsTheNextSync(t, p)
	})
	t.Run("with zeros at the end of the log, Redis does not start", func(t *testing.T) {
		x := newPast(t, p, 5)
		_, err := p.tryStart(t, x.cutCopy(t, x.sizes[5], make([]byte, 4096)), appendOnly("everysec")...)
		require.ErrorIs(t, err, errEnded)
	})
	t.Run("a flipped bit of a value is not noticed", func(t *testing.T) {
		x := newPast(t, p, 5)
		path := filepath.Join(x.dir, x.last)
		b, err := os.ReadFile(path)
		require.NoError(t, err)
		at := x.sizes[4] - len("xxxxx\r\n$4\r\nPXAT\r\n$13\r\n1234567890123\r\n")
		require.Equal(t, byte('x'), b[at])
		b[at]++
		require.NoError(t, os.WriteFile(path, b, 0o644))
		s := p.start(t, x.dir, appendOnly("everysec")...)
		require.Contains(t, s.do(t, "GET", "new 3"), "y")
	})
	t.Run("with appendonly yes, a snapshot without a log is not loaded", func(t *testing.T) {
		dir := t.TempDir()
		s := p.start(t, dir, "--appendonly", "no")
		s.do(t, "SET", "a", 1)
		require.Equal(t, resptest.Simple("OK"), s.do(t, "SAVE"))
		s.kill()
		require.Empty(t, contents(t, p.start(t, dir, appendOnly("everysec")...)))
	})
}

// trustsTheNextSync lets one sync fail and the next one succeed. The writes of the first sync are lost,
// though they were acknowledged.
func trustsTheNextSync(t *testing.T, p program) {
	dir := t.TempDir()
	var forgotten forgetful
	failed := make(chan struct{})
	var armed atomic.Bool
	s, err := p.startTraced(t, dir, func(c call) fault {
		if armed.Load() && c.name == "fdatasync" && filepath.Ext(c.path) == ".aof" && forgotten.file == nil {
			defer close(failed)
			return forgotten.fail(c)
		}
		forgotten.note(c)
		return fault{}
	}, appendOnly("everysec")...)
	require.NoError(t, err)
	l := newLoad(p, random(t), 1, 1, 8)
	require.Equal(t, resptest.Simple("OK"), s.do(t, "DEBUG", "SET-ACTIVE-EXPIRE", 0))
	require.Equal(t, resptest.Simple("OK"), s.do(t, "SET", "expires", 1, "PX", 1))
	armed.Store(true)
	require.True(t, l.once(t, s.addr))
	<-failed
	require.True(t, within(patience, func() (bool, error) { return s.info(t, "aof_last_write_status") != "ok", nil }))
	// Redis logs the expiry of the key in spite of the error, and takes the sync of the log for a recovery.
	require.Equal(t, resptest.Simple("OK"), s.do(t, "DEBUG", "SET-ACTIVE-EXPIRE", 1))
	require.True(t, within(patience, func() (bool, error) { return s.info(t, "aof_last_write_status") == "ok", nil }))
	s.kill()
	forgotten.forget(t)
	_, err = p.tryStart(t, dir, appendOnly("everysec")...)
	require.ErrorIs(t, err, errEnded, "Redis starts: so the range was written after all")
}
