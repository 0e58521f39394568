package contest

import (
	"bufio"
	"context"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"cellserver/internal/buildtest"
	"cellserver/internal/processtest"

	"github.com/stretchr/testify/require"
)

var program string

func TestMain(m *testing.M) {
	os.Exit(buildtest.Run(m, buildtest.Program{Package: buildtest.Server, Path: &program}))
}

const allCores = "0-63"

// serve runs cellserver until the test ends.
func serve(t *testing.T) *Server {
	return Ours(Options{Cellserver: program}, "--appendonly", "no").Start(t, allCores)
}

func TestWorkloadsGetTheAnswersTheyExpect(t *testing.T) {
	for _, w := range Workloads() {
		t.Run(w.Name, func(t *testing.T) {
			s := serve(t)
			addr := s.Addr
			switch {
			case w.Name == BareHandler:
				return // it is another program
			case w.web:
				addr = s.Web
			}
			if w.prepare != nil {
				w.prepare(t, s)
			}
			var scripts []Script
			for i := range 3 {
				scripts = append(scripts, w.Script(i))
			}
			out := Drive(t, Load{Addrs: []string{addr}, Scripts: scripts, Pipeline: 4, Count: 400})
			require.Equal(t, 3*400, out.Requests)
			require.Len(t, out.Timings, 3*100)
		})
	}
}

func TestDriveFailsOnAWrongReply(t *testing.T) {
	s := serve(t)
	l := Load{Addrs: []string{s.Addr}, Scripts: []Script{sends("INCR n", ":1\r\n")(0)}, Pipeline: 10, Count: 10}
	_, err := l.drive(t.Context())
	require.ErrorContains(t, err, `not ":1\r\n`)
	require.Equal(t, "10", s.Do(t, "GET", "n"))
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = l.drive(cancelled)
	require.ErrorIs(t, err, context.Canceled)
}

func TestExpect(t *testing.T) {
	for reply, wanted := range map[string]string{
		":1\r\n:907\r\n": ":1\r\n:#\r\n", ":1\r\nat 3 .": ":1\r\nat \x00 .", ":12\r\n:-3\r\n": ":#\r\n:-#\r\n",
	} {
		_, err := expect(bufio.NewReader(strings.NewReader(reply)), []byte(wanted), nil)
		require.NoError(t, err, reply)
		for _, other := range []string{":x\r\n", ":1\r\n:\r\n", "-ERR\r\n"} {
			_, err := expect(bufio.NewReader(strings.NewReader(other)), []byte(wanted), nil)
			require.Error(t, err, other)
		}
	}
	heard, err := expect(bufio.NewReader(strings.NewReader(":12\r\n:345\r\n")), []byte(":#\r\n:#\r\n"), nil)
	require.NoError(t, err)
	require.Equal(t, []int64{12, 345}, heard)
	_, err = expect(bufio.NewReader(strings.NewReader(":1")), []byte(":#\r\n"), nil)
	require.ErrorIs(t, err, io.EOF)
}

// A log of CL.LOG holds about as many entries as the log of a transaction.
func TestLogsStayFull(t *testing.T) {
	s, script := serve(t), fullLog(0)
	last := int64(0)
	watched := func(request, reply []byte, heard []int64) ([]byte, []byte) {
		if n := len(heard); n > 0 {
			last = 1_000_000 - heard[n-2]
		}
		return script(request, reply, heard)
	}
	Drive(t, Load{Addrs: []string{s.Addr}, Scripts: []Script{watched}, Pipeline: 4, Count: 2000})
	require.InDelta(t, logEntries, last, logEntries/2)
}

func TestSidesTakeTurns(t *testing.T) {
	var turns []string
	side := func(name string, requests int) Side {
		return Side{Name: name, Open: func(testing.TB) Running {
			return Running{[]int{os.Getpid()}, func(time.Duration) Outcome {
				turns = append(turns, name)
				return Outcome{Requests: requests, Elapsed: time.Second, Timings: []time.Duration{3e6, 1e6, 2e6}}
			}, func() {}}
		}}
	}
	rows := Run(t, Options{Repeats: 2, Busy: true}, []Side{side("a", 10), side("b", 30)})
	require.Equal(t, "a a b b a a b b", strings.Join(turns, " "), "the first one warms up")
	require.Equal(t, []float64{3, 3}, rows[1].Ratios(rows[0], ByRate))
	require.Equal(t, 2.0, rows[0].Median(func(s Sample) float64 { return s.P50 }))
	require.Equal(t, 3.0, rows[0].Median(func(s Sample) float64 { return s.P999 }))
	require.Zero(t, rows[0].Spread(ByRate))
	require.Equal(t, 2.5, Median([]float64{4, 1, 2, 3}))
}

func TestOthersAreNoticed(t *testing.T) {
	cmd := exec.Command("sh", "-c", "while :; do :; done")
	processtest.Start(t, cmd)
	pid := cmd.Process.Pid
	all, but := othersTime(t, nil), othersTime(t, []int{pid})
	begun := cpu(t, pid)
	await(t, "the loop runs", func() bool { return cpu(t, pid)-begun > 300*time.Millisecond })
	// A tick is 10 ms, and two ticks may be missing.
	require.Greater(t, othersTime(t, nil)-all, 270*time.Millisecond)
	without := othersTime(t, []int{pid})
	require.Greater(t, othersTime(t, nil)-without, 270*time.Millisecond)
	require.GreaterOrEqual(t, without, but)
}

func TestDeployments(t *testing.T) {
	o := Options{Cellserver: program, Core: allCores}
	c := StartCluster(t, o, 3)
	leader := c.Leader(t)
	require.Len(t, c.PIDs(leader), 3)
	require.Equal(t, leader.PID(), c.PIDs(leader)[0])
	require.Greater(t, c.Silence(t, 2), 100*time.Millisecond, "an election takes time")
	require.NotSame(t, leader, c.Leader(t))
	c.Heal(t)

	redis := StartReplicated(t, o)
	require.EqualValues(t, 1, redis[0].Do(t, "WAIT", 1, 0))
	require.Same(t, redis[0], redis.Leader(t))

	s := serve(t)
	Fill(t, s.Addr, 300, LogKey(3).Request, LogKey(3).Reply)
	require.EqualValues(t, 300, s.Do(t, "DBSIZE"))
	require.Positive(t, s.resident(t))
}
