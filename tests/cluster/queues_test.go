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

// queues are the programs of ../clients/queues, each with its libraries.
var queues = map[string][]string{
	"node queues/queues.mjs":                            {"bull", "bee-queue"},
	"../.cache/queues-venv/bin/python queues/queues.py": {"celery", "huey", "python-redis-lock", "saq"},
	"ruby queues/queues.rb":                             {"sidekiq"},
}

// Every job is done, also if the leader is killed while the workers wait and half of the jobs are done. The leader is the
// first of the Sentinels that the libraries ask.
func TestQueuesAfterADeath(t *testing.T) {
	if testing.Short() {
		t.Skip("the queues need Node, Python and Ruby")
	}
	out, err := exec.Command("../clients/install").CombinedOutput()
	require.NoError(t, err, string(out))
	p := start(t, 3)
	p.lead(0)
	begun, all := time.Now(), []*queueProgram{}
	for command := range queues {
		all = append(all, p.startQueue(command))
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
		var done []string
		for line := q.line(); line != ""; line = q.line() {
			t.Logf("%s, %.1f s after the death", line, time.Since(killed).Seconds())
			require.Regexp(t, "^ok ", line)
			done = append(done, strings.Fields(line)[1])
		}
		require.ElementsMatch(t, queues[q.command], done)
	}
}

// queueProgram is a running program of queues.
type queueProgram struct {
	command string
	in      io.Writer
	out     *bufio.Scanner
}

// startQueue starts a program of queues, which ends with the test.
func (p *processes) startQueue(command string) *queueProgram {
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
	return &queueProgram{command, in, bufio.NewScanner(out)}
}

// line waits for the next line of the program, "" at its end.
func (q *queueProgram) line() string {
	q.out.Scan()
	return q.out.Text()
}
