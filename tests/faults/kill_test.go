package faults

import (
	"math/rand"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// policies has the values of appendfsync.
var policies = []string{"always", "everysec", "no"}

// appendOnly returns arguments that turn the append-only file on and snapshots off.
func appendOnly(policy string) []string {
	return []string{"--appendonly", "yes", "--appendfsync", policy, "--save", ""}
}

// noLog has arguments that turn the append-only file and automatic snapshots off.
var noLog = []string{"--appendonly", "no", "--save", ""}

// TestKill kills the process while clients write, many times on the same directory. In half of the rounds it kills
// during a rewrite of the append-only file. The file is also rewritten automatically after it has grown by half. Under
// each policy every acknowledged write must be there, because the kernel has it.
func TestKill(t *testing.T) {
	t.Parallel()
	p := subject(t)
	for _, policy := range policies {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			r := random(t)
			dir := t.TempDir()
			l := newLoad(p, r, 4, 20, 32)
			args := append(appendOnly(policy), "--auto-aof-rewrite-percentage", "50", "--auto-aof-rewrite-min-size", "100kb")
			s := p.start(t, dir, args...)
			total := 0
			n := rounds(5, 200)
			for round := range n {
				killAt(t, l, s, r)
				s = p.start(t, dir, args...)
				v := l.check(t, s, time.Now())
				v.nothingLost(t, s)
				total += v.acked
				if t.Failed() {
					t.Fatalf("round %d", round)
				}
			}
			t.Logf("%d rounds, %d acknowledged writes, none lost", n, total)
		})
	}
}

// killAt lets clients write, and kills the server within two seconds.
func killAt(t *testing.T, l *load, s *server, r *rand.Rand) {
	life := time.Duration(r.Int63n(int64(2 * time.Second)))
	l.begin(s.addr)
	if r.Intn(2) == 0 {
		// The kill then comes during the rewrite, or soon after it.
		before := time.Duration(r.Int63n(int64(life) + 1))
		time.Sleep(before)
		s.do(t, "BGREWRITEAOF")
		life = min(life-before, time.Duration(r.Int63n(int64(50*time.Millisecond))))
	}
	time.Sleep(life)
	s.kill()
	l.end(t)
}

// TestTurnedOn turns the append-only file off and on while clients write. After its first rewrite the file must have
// everything, and nothing that it had before.
func TestTurnedOn(t *testing.T) {
	p := subject(t)
	r := random(t)
	dir := t.TempDir()
	l := newLoad(p, r, 2, 10, 16)
	s := p.start(t, dir, appendOnly("everysec")...)
	for range rounds(3, 50) {
		l.begin(s.addr)
		for _, on := range []string{"no", "yes"} {
			time.Sleep(time.Duration(r.Intn(20)) * time.Millisecond)
			require.Equal(t, resptest.Simple("OK"), s.do(t, "CONFIG", "SET", "appendonly", on))
		}
		s.rewritten(t)
		s.kill()
		l.end(t)
		s = p.start(t, dir, appendOnly("everysec")...)
		l.check(t, s, time.Now()).nothingLost(t, s)
	}
	s.kill()
}
