//go:build linux && amd64

package faults

import (
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// A life is everything that a server does with its files: it starts, writes, rewrites its append-only file, takes a
// snapshot, writes on and stops. It ends early when the server does.
func life(t *testing.T, s *server, l *load) {
	t.Helper()
	steps := [][]any{{"BGREWRITEAOF"}, {"SAVE"}, {"BGREWRITEAOF"}, {"BGSAVE"}}
	for _, step := range steps {
		if !l.once(t, s.addr) || !tell(s, step...) || !l.once(t, s.addr) || !idle(s) {
			return
		}
	}
	l.once(t, s.addr)
	tell(s, "SHUTDOWN", "NOSAVE")
	<-s.gone
}

// tell sends a command whose success does not matter, and reports whether the server answered.
func tell(s *server, args ...any) bool {
	c, err := dial(s.addr)
	if err != nil {
		return false
	}
	defer c.close()
	_, err = c.do(args...)
	return err == nil
}

// idle waits until nothing is written in the background; it reports whether the server is still there.
func idle(s *server) bool {
	c, err := dial(s.addr)
	if err != nil {
		return false
	}
	defer c.close()
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		v, err := c.do("INFO", "persistence")
		if err != nil {
			return false
		}
		fields := infoFields(v)
		if fields["aof_rewrite_in_progress"] == "0" && fields["rdb_bgsave_in_progress"] == "0" && fields["aof_rewrite_scheduled"] == "0" {
			return true
		}
	}
	return false
}

// calls lists the calls of a whole life.
func calls(t *testing.T, p program, policy string) []call {
	t.Helper()
	var all []call
	s, err := p.startTraced(t, t.TempDir(), func(c call) fault {
		all = append(all, c)
		return fault{}
	}, appendOnly(policy)...)
	require.NoError(t, err)
	l := newLoad(p, random(t), 1, 1, 8)
	life(t, s, l)
	require.Zero(t, s.code, "%s", s.output())
	require.NotEmpty(t, all)
	return all
}

// TestKillAtEveryCall kills the process before each system call of a life that changes a file. Whatever was
// acknowledged is there afterwards, and whatever was half done is no obstacle.
func TestKillAtEveryCall(t *testing.T) {
	p := subject(t)
	all := calls(t, p, "everysec")
	for _, c := range all {
		t.Log(c)
	}
	step := max(1, len(all)/rounds(15, len(all)))
	r := random(t)
	n, reached := 0, 0
	for at := 1 + r.Intn(step); at <= len(all); at += step {
		dir := t.TempDir()
		var last call
		l := newLoad(p, r, 1, 1, 8)
		s, err := p.startTraced(t, dir, func(c call) fault {
			last = c
			return fault{kill: c.n == at}
		}, appendOnly("everysec")...)
		if err == nil {
			life(t, s, l)
		}
		s.kill()
		n++
		if s.code == -9 {
			reached++
		}
		s = p.start(t, dir, appendOnly("everysec")...)
		v := l.check(t, s, time.Now())
		v.nothingLost(t, s)
		if t.Failed() {
			t.Fatalf("killed at %s", last)
		}
		s.kill()
	}
	t.Logf("%d of %d calls, killed before %d", n, len(all), reached)
}

var _ = resptest.Simple("")
