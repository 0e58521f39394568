package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"syscall"
	"testing"
	"time"

	"cellserver/internal/pausetest"

	"github.com/stretchr/testify/require"
)

const (
	deadFor    = 40 * time.Second // how long a leader stays dead at most
	afterwards = 3 * time.Second  // without a reply at most, after another node has begun to lead
)

// deaths are the ways in which a leader dies. Each returns how it comes back. A process that hangs is like a
// machine that has vanished: connections stay open, and nobody answers.
var deaths = []struct {
	name string
	die  func(p *processes, i int) (comeBack func())
}{
	{"killed", func(p *processes, i int) func() {
		p.kill(i)
		return func() {} // heal starts it
	}},
	{"hangs", func(p *processes, i int) func() {
		p.signal(i, syscall.SIGSTOP)
		return func() { p.signal(i, syscall.SIGCONT) }
	}},
}

// outcome is what the workers of a program have seen after the death of a leader.
type outcome struct {
	longest time.Duration // without a reply
	errors  time.Duration // until the last error
	hung    bool          // a call has had no outcome for half of deadFor
	stuck   bool          // a worker does not go on when the dead leader is back
}

// String returns the seconds without a reply and the seconds with errors.
func (o outcome) String() string {
	text := fmt.Sprintf("%.1f", o.longest.Seconds())
	if o.longest >= deadFor {
		text = fmt.Sprintf("> %.0f", deadFor.Seconds())
	}
	if o.errors > 0 {
		text += fmt.Sprintf(" (errors for %.1f)", o.errors.Seconds())
	}
	if o.hung {
		text += ", calls hang"
	}
	if o.stuck {
		text += ", does not recover"
	}
	return text
}

// With the settings of docs/cluster.md, each library goes on soon after another node leads. With ROUNDS=n the
// test shows n rounds, also with the defaults of the libraries, and also of a Redis Cluster.
func TestLibrariesAfterADeath(t *testing.T) {
	if testing.Short() {
		t.Skip("the client libraries need Node, Python, Java and Rust")
	}
	out, err := exec.Command("../clients/install").CombinedOutput()
	require.NoError(t, err, string(out))
	for range number(t, "ROUNDS", 0) {
		for settings, env := range map[string][]string{"defaults": {"DEFAULTS=1"}, "settings": nil} {
			rival := startRedisCluster(t)
			rival.env = append(env, "COUNTERS=1")
			rival.dieInEachWay("Redis Cluster, "+settings, rival.healRedis)
			rival.end()
			p := start(t, 3)
			p.env = env
			p.dieInEachWay("cellserver, "+settings, p.heal)
			p.end()
		}
	}
	p := start(t, 3)
	for _, seen := range p.dieInEachWay("cellserver", p.heal) {
		for name, o := range seen.by {
			require.LessOrEqual(t, o.longest, seen.election+afterwards+seen.machine, "%s: %s", name, o)
			require.False(t, o.stuck, name)
		}
	}
}

// seen is the outcomes of all programs.
type seen struct {
	election time.Duration // from the death until another node leads
	machine  time.Duration // what pauses of the machine have cost
	by       map[string]outcome
}

// dieInEachWay lets the leader die in each way while all libraries in cluster mode call it.
func (p *processes) dieInEachWay(title string, heal func()) (all []seen) {
	p.t.Helper()
	for _, death := range deaths {
		var running []*program
		for _, l := range libraries() {
			if strings.HasSuffix(l.name, "-cluster") && chosen(l) {
				running = append(running, newProgram(p, l))
			}
		}
		require.NotEmpty(p.t, running, "ONLY names no library")
		p.awaitProgress(running)
		for _, one := range running {
			one.mark(death.name)
		}
		s := seen{by: map[string]outcome{}}
		machine := pausetest.Start(p.t)
		dead, begun := p.owner(), time.Now()
		comeBack := death.die(p, dead)
		p.awaitSuccessor(dead)
		s.election = time.Since(begun)
		stuck(running, deadFor-s.election)
		for _, one := range running {
			s.by[one.name] = one.outcome(begun)
		}
		s.machine = machine.Allows(afterwards)
		comeBack()
		heal()
		for _, one := range stuck(running, deadFor/2) {
			o := s.by[one.name]
			o.stuck = true
			s.by[one.name] = o
		}
		load, _ := os.ReadFile("/proc/loadavg") // for the reader of the figures
		p.t.Logf("%s, %s: another node leads after %.1f s; load %s",
			title, death.name, s.election.Seconds(), load)
		for _, one := range running {
			one.kill()
			p.t.Logf("  %-22s %s", one.name, s.by[one.name])
		}
		all = append(all, s)
	}
	return all
}

// stuck waits until each worker of each program has got more replies. It returns the programs whose workers
// have not within a time.
func stuck(all []*program, within time.Duration) (left []*program) {
	before := make([]int, len(all))
	for i, one := range all {
		before[i] = one.leastReplies() + 10
	}
	for deadline := time.Now().Add(within); ; time.Sleep(20 * time.Millisecond) {
		left = nil
		for i, one := range all {
			if one.leastReplies() < before[i] {
				left = append(left, one)
			}
		}
		if len(left) == 0 || time.Now().After(deadline) {
			return left
		}
	}
}

// outcome returns what the workers of a program have seen since the death of the leader.
func (one *program) outcome(death time.Time) (o outcome) {
	one.mu.Lock()
	defer one.mu.Unlock()
	last := one.gaps[len(one.gaps)-1]
	o.longest, o.errors = last.longest, max(0, last.errors.Sub(death))
	for _, w := range one.workers {
		o.longest = max(o.longest, time.Since(w.last))
		o.hung = o.hung || !w.called.IsZero() && time.Since(w.called) > deadFor/2
	}
	return o
}

// owner returns the node that leads slot 0 and nearly all others, as it says itself.
func (p *processes) owner() (owner int) {
	p.t.Helper()
	p.eventually("no node leads slot 0", func() bool {
		for i := range p.nodes {
			nodes, _ := p.ask(i, "CLUSTER", "NODES")
			for line := range strings.Lines(fmt.Sprint(nodes)) {
				if owner = i; strings.Contains(line, "myself,master") && strings.Contains(line, " 0-") {
					return true
				}
			}
		}
		return false
	})
	return owner
}

// awaitSuccessor waits until another node than a dead one takes a change.
func (p *processes) awaitSuccessor(dead int) {
	p.t.Helper()
	p.eventually("nobody takes the place of the leader", func() bool {
		for i := range p.nodes {
			if i == dead {
				continue
			}
			if n, err := p.ask(i, "INCR", "successor"); err == nil {
				if _, is := n.(int64); is {
					return true
				}
			}
		}
		return false
	})
}

var (
	codeSpan   = regexp.MustCompile("`[^`]+`")
	identifier = regexp.MustCompile(`[A-Za-z_]{4,}`)
)

// The programs use each setting that docs/cluster.md recommends. The page names each library that they call.
func TestSettingsAreTried(t *testing.T) {
	programs, page := "", read(t, "../../docs/cluster.md")
	for _, name := range strings.Fields("failover.py failover.mjs go/failover.go java/Failover.java rust/src/main.rs") {
		programs += read(t, "../clients/"+name)
	}
	_, settings, found := strings.Cut(page, "\n### Settings of libraries\n")
	require.True(t, found)
	settings, _, _ = strings.Cut(settings, "\n## ")
	for _, l := range libraries() {
		if name, inCluster := strings.CutSuffix(l.name, "-cluster"); inCluster {
			require.Contains(t, strings.ToLower(settings), "\n| "+strings.TrimSuffix(name, "-async"))
		}
	}
	for _, span := range codeSpan.FindAllString(settings, -1) {
		for _, name := range identifier.FindAllString(span, -1) {
			require.Contains(t, programs, name, "of %s", span)
		}
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}
