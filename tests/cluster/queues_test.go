package cluster

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// queues are the programs of ../clients/queues, each with its checks.
var queues = map[string][]string{
	"node queues/queues.mjs":                            {"bull 160 jobs", "bee-queue 160 jobs"},
	"../.cache/queues-venv/bin/python queues/queues.py": {"celery 160 jobs", "huey 160 jobs", "python-redis-lock 160 turns", "saq 160 jobs"},
	"ruby queues/queues.rb":                             {"sidekiq 160 jobs"},
}

// doors are programs of ../clients/libraries that use several slots and databases, each with its libraries.
var doors = map[string][]string{
	"node libraries/doors.mjs":                               {"bottleneck", "socket.io"},
	"../.cache/libraries-venv/bin/python libraries/doors.py": {"limits", "throttled-py", "django-redis"},
}

// Over Sentinel and over proxy-port, libraries find what they find on a Redis with replicas.
func TestLibrariesThroughTheDoors(t *testing.T) {
	if testing.Short() {
		t.Skip("the libraries need Node and Python")
	}
	out, err := exec.Command("../clients/install").CombinedOutput()
	require.NoError(t, err, string(out))
	p := start(t, 3, "--cluster-node-timeout", "3000") // no other node leads meanwhile
	p.lead(0)
	for i := range p.nodes {
		p.eventually("a replica does not answer", func() bool { return p.keys(i) != nil })
	}
	var all []*libraryProgram
	for command := range doors {
		all = append(all, p.startLibraries(command))
	}
	for _, l := range all {
		var want []string
		for _, name := range doors[l.command] {
			want = append(want, name+" proxy-port", name+" sentinel")
		}
		l.done(t, want)
	}
}

// Every job is done, also if the leader is killed after half of the jobs. At this moment the workers of Bull and Bee-Queue,
// which use BRPOPLPUSH, are busy, and those of the others wait. The leader is the first of the Sentinels that the libraries ask.
func TestQueuesAfterADeath(t *testing.T) {
	if testing.Short() {
		t.Skip("the queues need Node, Python and Ruby")
	}
	out, err := exec.Command("../clients/install").CombinedOutput()
	require.NoError(t, err, string(out))
	p := start(t, 3)
	p.lead(0)
	begun, all := time.Now(), []*libraryProgram{}
	for command := range queues {
		all = append(all, p.startLibraries(command))
	}
	for _, q := range all {
		require.Equal(t, "half", q.line(), q.command)
	}
	t.Logf("half of the jobs are done after %.1f s", time.Since(begun).Seconds())
	p.kill(0)
	killed := time.Now()
	for _, q := range all {
		_, err := q.in.Write([]byte("\n"))
		require.NoError(t, err)
	}
	for _, q := range all {
		q.done(t, queues[q.command])
		t.Logf("%s, at most %.1f s after the death", q.command, time.Since(killed).Seconds())
	}
}

// libraryProgram is a running program of queues or doors.
type libraryProgram struct {
	command string
	in      io.Writer
	out     *bufio.Scanner
}

// startLibraries starts a program of queues or doors, which ends with the test.
func (p *processes) startLibraries(command string) *libraryProgram {
	p.t.Helper()
	ctx, stop := context.WithTimeout(p.t.Context(), patience)
	argv := strings.Fields(command)
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var sentinels []string
	for _, n := range p.nodes {
		sentinels = append(sentinels, n.addr())
	}
	cmd.Dir, cmd.SysProcAttr = "../clients", &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	cmd.Env = append(os.Environ(), "SENTINELS="+strings.Join(sentinels, ","), fmt.Sprint("PROXY=127.0.0.1:", p.nodes[1].proxy))
	in, err := cmd.StdinPipe()
	require.NoError(p.t, err)
	out, err := cmd.StdoutPipe()
	require.NoError(p.t, err)
	require.NoError(p.t, cmd.Start())
	p.t.Cleanup(func() {
		stop()
		_ = cmd.Wait()
	})
	return &libraryProgram{command, in, bufio.NewScanner(out)}
}

// line waits for the next line of the program, "" at its end.
func (l *libraryProgram) line() string {
	l.out.Scan()
	return l.out.Text()
}

// done requires a line of each check, without a failure, until the program ends.
func (l *libraryProgram) done(t *testing.T, want []string) {
	t.Helper()
	var got []string
	for line := l.line(); line != ""; line = l.line() {
		name, ok := strings.CutPrefix(line, "ok   ")
		require.True(t, ok, line)
		got = append(got, name)
	}
	require.ElementsMatch(t, want, got)
}
