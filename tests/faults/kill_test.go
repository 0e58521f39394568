package faults

import (
	"math/rand"
	"testing"
	"time"
)

// policies are the values of appendfsync.
var policies = []string{"always", "everysec", "no"}

// appendOnly is the arguments that turn the append-only file on, and snapshots off.
func appendOnly(policy string) []string {
	return []string{"--appendonly", "yes", "--appendfsync", policy, "--save", ""}
}

// noLog is the arguments that turn the append-only file off, and snapshots that nobody asks for.
var noLog = []string{"--appendonly", "no", "--save", ""}

// TestKill ends the process in the middle of its work, again and again on the same directory, half of the time while the
// append-only file is rewritten. Whatever was acknowledged is there, whatever the policy: the kernel has it.
func TestKill(t *testing.T) {
	p := subject(t)
	for _, policy := range policies {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			r := random(t)
			dir := t.TempDir()
			l := newLoad(p, r, 4, 20, 32)
			s := p.start(t, dir, appendOnly(policy)...)
			total := 0
			n := rounds(5, 200)
			for round := range n {
				killAt(t, l, s, r)
				s = p.start(t, dir, appendOnly(policy)...)
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

// killAt has clients write and kills the server within two seconds.
func killAt(t *testing.T, l *load, s *server, r *rand.Rand) {
	life := time.Duration(r.Int63n(int64(2 * time.Second)))
	l.begin(s.addr)
	if r.Intn(2) == 0 {
		// So that the end comes during it, or soon after.
		before := time.Duration(r.Int63n(int64(life) + 1))
		time.Sleep(before)
		s.do(t, "BGREWRITEAOF")
		life = min(life-before, time.Duration(r.Int63n(int64(50*time.Millisecond))))
	}
	time.Sleep(life)
	s.kill()
	l.end(t)
}
