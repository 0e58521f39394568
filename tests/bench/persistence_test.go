package main

import (
	"os/exec"
	"testing"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/load"
	"cellserver/tests/bench/server"

	"github.com/stretchr/testify/require"
)

// startKept starts redis-server in a folder, with an append-only file.
func startKept(t *testing.T, dir string) *server.Server {
	t.Helper()
	k := server.Kind{Name: server.Redis, Argv: []string{"redis-server", "--save", "", "--bind", "127.0.0.1"}, Keeps: logged("everysec")}
	s, err := k.StartIn(t.Context(), "0", dir)
	require.NoError(t, err)
	t.Cleanup(s.Stop)
	return s
}

func TestKeysAreKept(t *testing.T) {
	for _, tool := range []string{"redis-server", "taskset"} {
		if _, err := exec.LookPath(tool); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	s := startKept(t, dir)
	_, err := load.Drive(t.Context(), contest.ManyKeys(s.Kind, s.Addr, "kept", 1000))
	require.NoError(t, err)
	for _, j := range []server.Job{server.SaveJob, server.RewriteJob} {
		before, err := s.Persistence(j.Runs)
		require.NoError(t, err)
		require.NoError(t, j.Run(t.Context(), s.Client))
		after, err := s.Persistence(j.Runs)
		require.NoError(t, err)
		require.Equal(t, before+1, after, j.Command)
	}
	s.Stop()
	s = startKept(t, dir)
	require.NoError(t, s.Holds(1000))
	_, err = s.Do("CONFIG", "SET", "appendonly", "no")
	require.NoError(t, err)
	require.ErrorContains(t, s.CheckLog(), "keeps no log")
}

func TestCostsOfJobsAreMedians(t *testing.T) {
	k := kept{jobs: []jobCosts{{Job: server.SaveJob}, {Job: server.RewriteJob, costs: []jobCost{
		{cpu: 1, quiet: 4, during: 6, others: 0.5}, {cpu: 3, quiet: 5, during: 5}, {cpu: 2, quiet: 6, during: 7, took: 3},
	}}}}
	require.Equal(t, jobCost{cpu: 2, quiet: 5, during: 6, others: 0.5}, k.jobs[1].middle())
	require.Len(t, k.of(server.RewriteJob), 3)
	l := loading{took: []time.Duration{time.Second, 2 * time.Second}}
	require.Equal(t, []float64{100, 50}, l.rates(100))
}
