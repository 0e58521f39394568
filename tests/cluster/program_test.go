package cluster

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// program is a running program of a library. It has several workers, which call one after the other.
type program struct {
	library
	cmd    *exec.Cmd
	stdin  io.Closer
	stderr bytes.Buffer
	ended  chan struct{} // closed once the output has ended

	mu      sync.Mutex // guards the rest
	workers map[string]*worker
	limits  map[string]*limit
	errors  map[string]int
	wrong   []string
	gaps    []gap
	repeats int64 // calls that ran again
}

// worker is what one worker knows. Only this worker increments its counters.
type worker struct {
	replies  int
	last     time.Time // of a reply
	counters map[string]*counter
	waits    *counter  // of the call that has no reply yet; nil for a limit
	called   time.Time // when that call began; zero if there is none
}

type counter struct{ last, unknown int64 }

type limit struct{ calls, admitted int64 }

// gap is the longest time of a worker without a reply, while something happened to the cluster.
type gap struct {
	event   string
	longest time.Duration
	errors  time.Time // of the last error; zero if there was none
}

// newProgram starts the program of a library.
func newProgram(p *processes, l library) *program {
	p.t.Helper()
	one := &program{library: l, workers: map[string]*worker{}, errors: map[string]int{}, limits: map[string]*limit{}}
	one.start(p)
	p.t.Cleanup(one.kill)
	return one
}

// start starts the process.
func (one *program) start(p *processes) {
	p.t.Helper()
	var addrs []string
	for _, n := range p.nodes {
		addrs = append(addrs, n.addr())
	}
	cmd := exec.Command(one.argv[0], append(one.argv[1:len(one.argv):len(one.argv)], one.name)...)
	cmd.Dir = "../clients"
	cmd.Env = append(append(os.Environ(), p.env...), "NODES="+strings.Join(addrs, ","),
		fmt.Sprint("PROXY=", p.nodes[0].host, ":", p.nodes[0].proxy))
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Stderr = &one.stderr
	in, err := cmd.StdinPipe()
	require.NoError(p.t, err)
	stdout, err := cmd.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, cmd.Start())
	one.cmd, one.stdin, one.ended = cmd, in, make(chan struct{})
	go one.listen(stdout)
}

// startAgain replaces a process that hangs. A call without a reply may have run or not.
func (one *program) startAgain(p *processes) {
	p.t.Helper()
	require.NoError(p.t, p.restarts.add(one.name), one.summary())
	p.t.Logf("%s hangs and is started again: %s", one.name, one.summary())
	one.kill()
	for _, w := range one.workers {
		if w.waits != nil {
			w.waits.unknown++
		}
		w.waits = nil
	}
	one.start(p)
}

// kill ends the process, and waits until its output is read.
func (one *program) kill() {
	_ = one.cmd.Process.Kill()
	<-one.ended
}

// listen reads the lines of a program until it ends.
func (one *program) listen(out io.Reader) {
	defer close(one.ended)
	for lines := bufio.NewScanner(out); lines.Scan(); {
		one.hear(strings.SplitN(lines.Text(), " ", 4))
	}
	_ = one.cmd.Wait()
}

// hear takes one line: the worker, the outcome, the key, and a number or the text of an error.
func (one *program) hear(line []string) {
	one.mu.Lock()
	defer one.mu.Unlock()
	if len(line) < 3 {
		one.complain("line %q", line)
		return
	}
	name, outcome, key, rest := line[0], line[1], line[2], strings.Join(line[3:], " ")
	w := one.workers[name]
	if w == nil {
		w = &worker{counters: map[string]*counter{}}
		one.workers[name] = w
	}
	isLimit := strings.Contains(key, ":limit:")
	if isLimit && one.limits[key] == nil {
		one.limits[key] = new(limit)
	}
	if !isLimit && w.counters[key] == nil {
		w.counters[key] = new(counter)
	}
	w.waits, w.called = nil, time.Time{}
	switch n, err := strconv.ParseInt(rest, 10, 64); {
	case outcome == "call":
		if isLimit {
			one.limits[key].calls++
		}
		w.waits, w.called = w.counters[key], time.Now()
		return
	case outcome == "error":
		one.errors[normal(rest)]++
		if len(one.gaps) > 0 {
			one.gaps[len(one.gaps)-1].errors = time.Now()
		}
		if !isLimit {
			w.counters[key].unknown++
		}
		return
	case outcome != "ok" || err != nil:
		one.complain("line %q", line)
	case isLimit:
		one.decided(key, n)
	default:
		one.counted(w.counters[key], key, n)
	}
	w.replies++
	if len(one.gaps) > 0 && !w.last.IsZero() {
		g := &one.gaps[len(one.gaps)-1]
		g.longest = max(g.longest, time.Since(w.last))
	}
	w.last = time.Now()
}

// decided takes a decision about a limit.
func (one *program) decided(key string, n int64) {
	l := one.limits[key]
	switch {
	case n == 0:
		l.admitted++
	case n != 1:
		one.complain("%s was decided by %d", key, n)
	case l.calls*one.sends <= most:
		one.complain("%s was refused after %d calls", key, l.calls)
	}
	if l.admitted > most {
		one.complain("%s admitted %d", key, l.admitted)
	}
}

// counted takes a reply of INCR. It must count this call, and may count earlier ones without a reply.
func (one *program) counted(c *counter, key string, n int64) {
	if n <= c.last || n > c.last+(c.unknown+1)*one.sends {
		one.complain("%s is %d after %d and %d unknown ones", key, n, c.last, c.unknown)
	}
	one.repeats += max(0, n-c.last-1-c.unknown)
	c.last = n
}

func (one *program) complain(format string, args ...any) {
	if len(one.wrong) < 5 {
		one.wrong = append(one.wrong, fmt.Sprintf(format, args...))
	}
}

var varying = regexp.MustCompile(`[0-9]+`)

// normal returns the text of an error without numbers, so that equal errors count as one.
func normal(text string) string { return varying.ReplaceAllString(text, "N") }

// mark begins the measurement of a gap.
func (one *program) mark(event string) {
	one.mu.Lock()
	defer one.mu.Unlock()
	one.gaps = append(one.gaps, gap{event: event})
}

// leastReplies returns the number of replies of the worker with the fewest ones.
func (one *program) leastReplies() int {
	one.mu.Lock()
	defer one.mu.Unlock()
	least := -1
	for _, w := range one.workers {
		if least < 0 || w.replies < least {
			least = w.replies
		}
	}
	return max(0, least)
}

// stop tells a program to end, and waits until it has.
func (one *program) stop(t *testing.T) {
	t.Helper()
	require.NoError(t, one.stdin.Close())
	select {
	case <-one.ended:
	case <-time.After(patience):
		t.Errorf("%s does not end", one.name)
	}
}

// check compares what a program knows with what is stored.
func (one *program) check(t *testing.T, p *processes) {
	require.NotEmpty(t, one.workers, one.stderr.String())
	require.Empty(t, one.wrong)
	for _, w := range one.workers {
		for key, c := range w.counters {
			stored, err := strconv.ParseInt(fmt.Sprint(p.stored(key)), 10, 64)
			require.NoError(t, err)
			require.GreaterOrEqual(t, stored, c.last, "acknowledged increments of %s are lost", key)
			require.LessOrEqual(t, stored, c.last+c.unknown*one.sends, "%s has more increments than were sent", key)
		}
	}
	for text := range one.errors {
		require.True(t, mayGet(text), "%s gets an error that is not documented: %s", one.name, text)
	}
	t.Log(one.summary())
}

// summary returns what a program has seen.
func (one *program) summary() string {
	one.mu.Lock()
	defer one.mu.Unlock()
	text := fmt.Sprintf("%s: %d calls ran again;", one.name, one.repeats)
	for _, name := range slices.Sorted(maps.Keys(one.workers)) {
		text += fmt.Sprintf(" %d", one.workers[name].replies)
	}
	text += " replies"
	for _, g := range one.gaps {
		text += fmt.Sprintf("\n  %s: %s without a reply", g.event, g.longest.Round(time.Millisecond))
	}
	for _, message := range slices.Sorted(maps.Keys(one.errors)) {
		text += fmt.Sprintf("\n  %d × %s", one.errors[message], message)
	}
	return text
}
