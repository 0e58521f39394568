//go:build linux && amd64

package faults

import (
	"os"
	"path/filepath"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// A start is a directory on which a server changes files before it answers, and the contents that the server must have
// then.
type start struct {
	name string
	dir  string
	want map[string]string
}

// starts returns one start of each kind.
func starts(t *testing.T, p program) []start {
	t.Helper()
	x := newPast(t, p, 10)
	s := p.start(t, copyDir(t, x.dir), appendOnly("everysec")...)
	whole := contents(t, s)
	s.kill()
	torn := map[string]string{}
	for key, held := range whole {
		if key != "0 new 9" {
			torn[key] = held
		}
	}
	all := []start{
		{"a log", x.dir, whole},
		{"a torn log", x.cutCopy(t, x.sizes[10]-3, make([]byte, 600)), torn},
		{"a snapshot only", t.TempDir(), whole},
		{"one file, as before Redis 7", t.TempDir(), map[string]string{"0 a": `string "a" until -1`, "0 b": `string "b" until -1`}},
	}
	s = p.start(t, copyDir(t, x.dir), appendOnly("everysec")...)
	require.Equal(t, resptest.Simple("OK"), s.do(t, "CONFIG", "SET", "appendonly", "no"))
	require.Equal(t, resptest.Simple("OK"), s.do(t, "SAVE"))
	s.kill()
	snapshot, err := os.ReadFile(filepath.Join(s.dir, "dump.rdb"))
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(all[2].dir, "dump.rdb"), snapshot, 0o644))
	require.NoError(t, os.WriteFile(filepath.Join(all[3].dir, "appendonly.aof"), []byte(sets("a", "b")), 0o644))
	return all
}

// TestEveryCallOfStart interrupts a start at each system call that changes a file: it kills the server, cuts
// the power, or lets the call fail. The next start must find everything.
func TestEveryCallOfStart(t *testing.T) {
	p := subject(t)
	args := appendOnly("everysec")
	for _, x := range starts(t, p) {
		var all []call
		s, err := p.startTraced(t, copyDir(t, x.dir), func(c call) fault { all = append(all, c); return fault{} }, args...)
		require.NoError(t, err)
		holds(t, s, x.want, x.name)
		s.kill()
		t.Run(x.name, func(t *testing.T) {
			each(t, all, 3, func(t *testing.T, c call) {
				for how, f := range map[string]fault{"killed": {kill: true}, "an error": {errno: ioError}, "a full disk": {errno: noSpace}} {
					dir := copyDir(t, x.dir)
					s, err := p.startTraced(t, dir, func(now call) fault {
						if now.n == c.n {
							return f
						}
						return fault{}
					}, args...)
					if err == nil && s.alive() {
						holds(t, s, x.want, how)
					}
					s.kill()
					s = p.start(t, dir, args...)
					holds(t, s, x.want, how)
					s.kill()
				}
				d := newDisk(t, 64, "data=ordered")
				require.NoError(t, os.CopyFS(d.dir, os.DirFS(x.dir)))
				d.sync(t)
				d.arm(t)
				s, _ := p.startTraced(t, d.dir, func(now call) fault {
					if now.n != c.n {
						return fault{}
					}
					if err := d.cut([]uint32{cutHard, cutJournal}[c.n%2]); err != nil {
						t.Error(err)
					}
					return fault{kill: true}
				}, args...)
				s.kill()
				d.restore(t)
				s = p.start(t, d.dir, args...)
				holds(t, s, x.want, "power cut")
				s.kill()
			})
		})
	}
}
