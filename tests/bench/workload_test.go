package main

import (
	"context"
	"errors"
	"log/slog"
	"slices"
	"testing"

	"cellserver/cmd/cellserver/app"
	"cellserver/internal/config/configload"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// serve runs cellserver in this process until the test ends.
func serve(t *testing.T) *server {
	port, err := freePort()
	require.NoError(t, err)
	cfg, _, err := configload.Load([]string{"--port", port, "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"}, nil, nil)
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
	c, err := dial(a.Addr().String())
	require.NoError(t, err)
	t.Cleanup(c.close)
	return &server{kind: kind{name: cellserver, throttles: true}, client: c, addr: a.Addr().String()}
}

func TestWorkloadsGetTheAnswersTheyExpect(t *testing.T) {
	cell := kind{name: cellserver, throttles: true}
	for _, w := range append(slices.Concat(workloads(), limiters()), oneKey, keysEach, manyKeysLoad(cell, 10), manyKeysLoad(kind{name: redis}, 10)) {
		t.Run(w.name, func(t *testing.T) { expectAnswers(t, w, serve(t)) })
	}
}

// expectAnswers puts a little of a workload on a server.
func expectAnswers(t *testing.T, w workload, s *server) {
	if w.prepare != nil {
		require.NoError(t, w.prepare(t.Context(), s))
	}
	require.NoError(t, w.probe(s))
	require.NoError(t, w.probe(s))
	if w.script == nil {
		return
	}
	before, err := s.counters()
	require.NoError(t, err)
	out, err := drive(t.Context(), load{addr: s.addr, connections: 3, pipeline: 4, count: 400, script: w.script, heard: w.heard})
	require.NoError(t, err)
	require.Equal(t, 3*400, out.requests)
	require.Len(t, out.timings, 3*100)
	after, err := s.counters()
	require.NoError(t, err)
	require.NoError(t, served(before, after, out.requests*max(1, w.each)))
	if w.after != nil {
		require.NoError(t, w.after())
	}
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

func TestCommandsAreWhatRedisBenchmarkSends(t *testing.T) {
	require.Equal(t, "key:000000000007", name("key:", 7))
	require.Equal(t, "x123456789012", name("x", 123_456_789_012))
	require.Equal(t, resptest.Command("SET", "key", "", "0123456789"), command(nil, "SET", "key", "", "0123456789"))
}

func TestDigitsMayDiffer(t *testing.T) {
	require.True(t, matches([]byte(":1\r\n:907\r\n"), []byte(":1\r\n:???\r\n")))
	require.False(t, matches([]byte(":1\r\n:-07\r\n"), []byte(":1\r\n:???\r\n")))
	require.False(t, matches([]byte(":2\r\n:907\r\n"), []byte(":1\r\n:???\r\n")))
}

func TestDriveFailsOnAWrongReply(t *testing.T) {
	s := serve(t)
	_, err := drive(t.Context(), filler(s.addr, 10, func(b []byte, i int) []byte { return command(b, "INCR", "n") }, ":1\r\n"))
	require.ErrorContains(t, err, `not ":1\r\n`)
	n, err := s.do("GET", "n")
	require.NoError(t, err)
	require.Equal(t, "10", n)
	_, err = s.do("NONSENSE")
	require.Error(t, err)
	cancelled, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = drive(cancelled, filler(s.addr, 10, func(b []byte, i int) []byte { return command(b, "PING") }, "+PONG\r\n"))
	require.True(t, errors.Is(err, context.Canceled))
}

func TestFillersSendEveryKeyOnce(t *testing.T) {
	for _, n := range []int{1, 499, 500, 501, 1500, 1009} {
		l := filler("", n, nil, "")
		require.Zero(t, n%l.pipeline, "%d", n)
		require.Equal(t, n, l.count)
	}
	s := serve(t)
	key := throttleKey(s.kind)
	_, err := drive(t.Context(), filler(s.addr, 1500, key.request, key.reply))
	require.NoError(t, err)
	require.NoError(t, s.holds(1500))
	require.ErrorContains(t, s.holds(1501), "1500")
	for _, k := range []kind{{name: redis}, {name: cellserver, throttles: true}} {
		s := serve(t)
		_, err := drive(t.Context(), manyKeys(k, s.addr, "key:", 1500))
		require.NoError(t, err)
		require.NoError(t, s.holds(1500))
		w := manyKeysLoad(k, 1500)
		require.NoError(t, w.probe(s))
		require.NoError(t, s.holds(1500), "the load finds the keys")
	}
}

func TestQuickIsAPartOfFull(t *testing.T) {
	require.Len(t, selected(options{mode: "full"}), len(workloads()))
	quick := selected(options{mode: "quick"})
	require.Len(t, quick, 4)
	require.Len(t, selected(options{mode: "quick", only: "GET"}), 2, "and the yardstick")
	require.Subset(t, points("full"), points("quick"))
}

func TestLogsThatAreNotFullAreNoticed(t *testing.T) {
	logs := new(fullLogs)
	require.Error(t, logs.check(), "nothing was heard")
	for holds, full := range map[int]bool{10: false, 49: false, 51: true, 100: true, 199: true, 201: false} {
		logs.hear(3, []byte(decision(0, logLimit, 999_999, -1, 1)+decision(0, logLimit, logLimit-holds, -1, 1)))
		require.EqualValues(t, holds, logs[3].holds)
		require.Equal(t, full, logs.check() == nil, "%d entries", holds)
	}
}
