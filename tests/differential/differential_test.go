// Package differential compares our server with the real one. Random streams of commands go to both servers. Every
// reply must be the same, byte by byte, with errors, in RESP2 and RESP3.
//
// Environment:
//
//	SEED=N              repeats a run
//	DIFFERENTIAL=15s    is the duration of a run
//	REAL_CLOCK=1        leaves both clocks real
//	CELLSERVER_ADDR=…   takes a server that already runs
//	REDIS_VS_REDIS=1    compares Redis with itself, to test the test
//	FINDINGS=1          is how many distinct mismatches end a run
//	SCRIPTS=3m          runs new random scripts for three minutes
//	BLOCKING=3m         plays new rounds of clients that wait for three minutes
package differential

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	stepsPerRound   = 600
	checkpointEvery = 60
	shrinkBudget    = 10 * time.Second
)

func TestDifferential(t *testing.T) {
	run(t, os.Getenv("REAL_CLOCK") != "1", duration(t))
}

// TestDifferentialRealClock is the same test with real clocks. Expiries are then far in the future, or the test waits
// for them. Remaining times may differ by a little.
func TestDifferentialRealClock(t *testing.T) {
	run(t, false, duration(t)/4)
}

func run(t *testing.T, moved bool, duration time.Duration) {
	if testing.Short() && os.Getenv("DIFFERENTIAL") == "" {
		t.Skip("skipped in short mode: set DIFFERENTIAL to a duration")
	}
	seed := seed(t)
	t.Logf("SEED=%d DIFFERENTIAL=%s", seed, duration)
	s := newSession(t, moved)
	found := map[string]bool{}
	limit := max(1, envInt(t, "FINDINGS", 1))
	rounds, end := 0, time.Now().Add(duration)
	// A rare command needs many rounds, and a slow machine plays few. So the test may take thrice as long.
	covers := moved && duration >= 15*time.Second && s.ours.name != "redis"
	more := func() bool {
		return time.Now().Before(end) || covers && time.Now().Before(end.Add(2*duration)) && len(s.missing(t)) > 0
	}
	for ; len(found) < int(limit) && more(); rounds++ {
		roundSeed := seed + uint64(rounds)
		proto := 2 + int(roundSeed%2) // the seed alone repeats a round
		steps, m := s.round(roundSeed, proto)
		require.False(t, m != nil && len(steps) == 0, "no round can begin: %v", m)
		if m == nil || found[m.signature()] {
			continue
		}
		found[m.signature()] = true
		t.Errorf("\nSEED=%d, step %d\n%s", roundSeed, len(steps), s.explain(proto, steps, m, found))
	}
	t.Logf("%d rounds of %d steps\n", rounds, stepsPerRound)
	if path := os.Getenv("COVERAGE"); path != "" {
		require.NoError(t, os.WriteFile(path, []byte(s.coverage.String()), 0o644))
	}
	if covers && len(found) == 0 {
		require.Empty(t, s.absent, "commands of Redis that ours does not know")
		require.Empty(t, s.missing(t), "commands that never did their work in this run")
	}
}

// missing lists the commands of ours that have had no test.
func (s *session) missing(t *testing.T) []string {
	names, err := s.ours.admin.do("COMMAND", "LIST")
	require.NoError(t, err)
	require.NotEmpty(t, names.elems)
	return s.coverage.missing(texts(names))
}

// round runs one stream and returns its steps up to the first mismatch.
func (s *session) round(seed uint64, proto int) ([]step, *mismatch) {
	if err := s.begin(proto); err != nil {
		return nil, &mismatch{note: err.Error()}
	}
	g := newGenerator(rand.New(rand.NewPCG(seed, 1)), s)
	var steps []step
	for checked := 0; len(steps) < stepsPerRound; {
		for _, st := range g.next() {
			steps = append(steps, st)
			if m := s.try(st); m != nil {
				return steps, m
			}
		}
		if len(steps)-checked >= checkpointEvery {
			checked = len(steps)
			if m := s.tryCheckpoint(); m != nil {
				return steps, m
			}
		}
	}
	return steps, nil
}

// explain shrinks the steps of a mismatch and writes a report for the maintainer.
func (s *session) explain(proto int, steps []step, m *mismatch, found map[string]bool) string {
	short, again := s.shrink(proto, steps, shrinkBudget)
	if again == nil {
		again, m.note = m, m.note+" (not reproduced by a replay; the last steps only)"
		short = steps[max(0, len(steps)-20):]
	}
	found[again.signature()] = true
	return fmt.Sprintf("%s\n  redis: %s\n  ours:  %s\n  %s\n%s",
		quote(again.step.args), cut(again.redis), cut(again.ours), again.note, script(proto, short))
}

// cut limits the length of a report.
func cut(s string) string {
	const most = 1000
	if len(s) <= most {
		return s
	}
	return fmt.Sprintf("%s… (%d bytes)", s[:most], len(s))
}

// signature is the common part of two reports of the same fault.
func (m *mismatch) signature() string {
	name := "(checkpoint)"
	if len(m.step.args) > 0 {
		name = strings.ToUpper(m.step.args[0])
	}
	kinds := func(s string) string {
		if strings.HasPrefix(s, "-") {
			return variable.ReplaceAllString(s, "…")
		}
		return s[:min(1, len(s))]
	}
	return name + kinds(m.redis) + kinds(m.ours)
}

func newSession(t *testing.T, moved bool) *session {
	t.Helper()
	s := &session{coverage: coverage{}}
	s.redis = startRedis(t, moved)
	if os.Getenv("REDIS_VS_REDIS") == "1" {
		s.ours = startRedis(t, moved)
	} else {
		s.ours = startOurs(t)
	}
	s.moved = moved && s.redis.setClock != nil
	t.Cleanup(func() { _, _ = s.ours.admin.do("DEBUG", "CLOCK", "RESUME") })
	require.NoError(t, s.findAbsent())
	for _, name := range []string{"FLUSHALL", "SELECT", "KEYS", "SCAN", "TYPE", "GET", "PEXPIRETIME"} {
		if slices.Contains(s.absent, name) {
			skip(t, "ours has no %s yet, which the comparison rests on", name)
		}
	}
	t.Logf("moved clock: %v; ours does not know: %v", s.moved, s.absent)
	return s
}

func duration(t *testing.T) time.Duration {
	text := cmp.Or(os.Getenv("DIFFERENTIAL"), "15s")
	d, err := time.ParseDuration(text)
	require.NoError(t, err)
	return d
}

func seed(t *testing.T) uint64 {
	return uint64(envInt(t, "SEED", time.Now().UnixNano()))
}

func envInt(t *testing.T, name string, otherwise int64) int64 {
	text := os.Getenv(name)
	if text == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(text, 10, 64)
	require.NoError(t, err, name)
	return n
}

func texts(r reply) []string {
	var out []string
	for _, e := range r.elems {
		out = append(out, e.text)
	}
	return out
}
