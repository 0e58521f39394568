package contest

import (
	"cmp"
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"cellserver/cmd/cellserver/app"
	"cellserver/internal/config/configload"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"

	"github.com/stretchr/testify/require"
)

// serve runs cellserver in this process until the test ends.
func serve(t *testing.T) *server.Server {
	port, err := server.FreePort()
	require.NoError(t, err)
	web, err := server.FreePort()
	require.NoError(t, err)
	cfg, _, err := configload.Load([]string{
		"--port", port, "--http-port", web, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no",
	}, nil, nil)
	require.NoError(t, err)
	a, err := app.New(app.Options{Config: cfg, Log: slog.New(slog.DiscardHandler)})
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- a.Run(ctx) }()
	t.Cleanup(func() {
		stop()
		require.NoError(t, <-done)
	})
	c, err := server.Dial(a.Addr().String())
	require.NoError(t, err)
	t.Cleanup(c.Close)
	return &server.Server{Kind: server.Kind{Name: server.Cellserver, Throttles: true}, Client: c, Addr: a.Addr().String()}
}

func TestWorkloadsGetTheAnswersTheyExpect(t *testing.T) {
	for _, w := range slices.Concat(Workloads(), Limiters(), Permits()) {
		t.Run(w.Name, func(t *testing.T) { expectAnswers(t, w, serve(t)) })
	}
}

// expectAnswers runs a small load of a workload on a server.
func expectAnswers(t *testing.T, w Workload, s *server.Server) {
	if w.prepare != nil {
		require.NoError(t, w.prepare(t.Context(), s))
	}
	require.NoError(t, w.probe(s))
	require.NoError(t, w.probe(s))
	if w.Script == nil {
		return
	}
	before, err := s.Counters()
	require.NoError(t, err)
	out, err := load.Drive(t.Context(), load.Load{
		Addr: cmp.Or(s.Web, s.Addr), Connections: 3, Pipeline: 4, Count: 400, Script: w.Script, Heard: w.heard,
	})
	require.NoError(t, err)
	require.Equal(t, 3*400, out.Requests)
	require.Len(t, out.Timings, 3*100)
	after, err := s.Counters()
	require.NoError(t, err)
	require.NoError(t, served(before, after, out.Requests*max(1, w.each)))
	if w.after != nil {
		require.NoError(t, w.after())
	}
}

func TestChecksGetTheAnswersTheyExpect(t *testing.T) {
	s := serve(t)
	web, err := s.Do("CONFIG", "GET", "http-port")
	require.NoError(t, err)
	s.Web = "127.0.0.1:" + web.([]any)[1].(string)
	expectAnswers(t, WorkloadNamed(Checking), s)
	script := WorkloadNamed(Checking).Script(4) // later, each key has been used ten times
	ten := func(connection int) load.Script {
		return func(request, reply []byte, i int) ([]byte, []byte) {
			return script(request, reply, i*checkKeys)
		}
	}
	_, err = load.Drive(t.Context(), load.Load{
		Addr: s.Web, Connections: 1, Pipeline: 1, Count: 10, Script: ten,
	})
	require.NoError(t, err)
}

func TestWrongAnswersAreNoticed(t *testing.T) {
	five := []any{int64(1), int64(16), int64(15), int64(-1), int64(2)}
	require.NoError(t, decides(limited)(five))
	for reply, check := range map[any]func(any) error{
		"1":      integer,
		int64(1): anyDecision,
		"yyy":    equals("xxx"),
	} {
		require.Error(t, check(reply))
	}
	require.Error(t, decides(allowed)(five))
	require.Error(t, anyDecision(five[:4]))
	require.Error(t, anyDecision([]any{"1", int64(16), int64(15), int64(-1), int64(2)}))
}

func TestDriveFailsOnAWrongReply(t *testing.T) {
	s := serve(t)
	_, err := load.Drive(t.Context(), load.Filler(s.Addr, 10, func(b []byte, i int) []byte { return load.Command(b, "INCR", "n") }, ":1\r\n"))
	require.ErrorContains(t, err, `not ":1\r\n`)
	n, err := s.Do("GET", "n")
	require.NoError(t, err)
	require.Equal(t, "10", n)
	_, err = s.Do("NONSENSE")
	require.Error(t, err)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = load.Drive(cancelled, load.Filler(s.Addr, 10, func(b []byte, i int) []byte { return load.Command(b, "PING") }, "+PONG\r\n"))
	require.True(t, errors.Is(err, context.Canceled))
}

func TestFillersSendEveryKeyOnce(t *testing.T) {
	for _, n := range []int{1, 499, 500, 501, 1500, 1009} {
		l := load.Filler("", n, nil, "")
		require.Zero(t, n%l.Pipeline, "%d", n)
		require.Equal(t, n, l.Count)
	}
	s := serve(t)
	key := ThrottleKey(s.Kind)
	_, err := load.Drive(t.Context(), load.Filler(s.Addr, 1500, key.Request, key.Reply))
	require.NoError(t, err)
	require.NoError(t, s.Holds(1500))
	require.ErrorContains(t, s.Holds(1501), "1500")
	s = serve(t)
	_, err = load.Drive(t.Context(), load.Filler(s.Addr, 300, LogKey(3).Request, LogKey(3).Reply))
	require.NoError(t, err)
	require.NoError(t, s.Holds(300))
}

func TestLogsThatAreNotFullAreNoticed(t *testing.T) {
	logs := new(fullLogs)
	require.Error(t, logs.check(), "nothing was heard")
	for holds, full := range map[int]bool{10: false, 49: false, 51: true, 100: true, 199: true, 201: false} {
		logs.hear(3, []byte(load.ThrottleReply(0, logLimit, 999_999, -1, 1)+load.ThrottleReply(0, logLimit, logLimit-holds, -1, 1)))
		require.EqualValues(t, holds, logs[3].holds)
		require.Equal(t, full, logs.check() == nil, "%d entries", holds)
	}
}

func TestUsedKeysAreAllowed(t *testing.T) {
	s := serve(t)
	require.NoError(t, FillUsed(t.Context(), s.Addr))
	out, err := load.Drive(t.Context(), load.Load{Addr: s.Addr, Connections: 2, Pipeline: 1, Count: 3, Script: Usage})
	require.NoError(t, err)
	require.Equal(t, 6, out.Requests)
}
