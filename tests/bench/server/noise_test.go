package server

import (
	"io"
	"os/exec"
	"testing"
	"time"

	"cellserver/tests/bench/load"

	"github.com/stretchr/testify/require"
)

// spin starts a process that uses a core until the test ends.
func spin(t *testing.T) (pid int) {
	t.Helper()
	cmd := exec.Command("sh", "-c", "while :; do :; done")
	require.NoError(t, cmd.Start())
	t.Cleanup(func() {
		cmd.Process.Kill()
		cmd.Wait()
	})
	return cmd.Process.Pid
}

func TestOthersAreNoticed(t *testing.T) {
	if _, err := othersTime(nil); err != nil {
		t.Skip(err)
	}
	pid := spin(t)
	begun, err := CPU(pid)
	require.NoError(t, err)
	// The loop ends after 300 ms of processor time, even on a busy machine.
	work := func() error {
		for {
			if used, err := CPU(pid); err != nil || used-begun > 300*time.Millisecond {
				return err
			}
			if err := Pause(t.Context(), time.Millisecond); err != nil {
				return err
			}
		}
	}
	started := time.Now()
	others, err := Observe(nil, work)
	require.NoError(t, err)
	// A tick is 10 ms, and two ticks may be missing.
	require.Greater(t, others, 0.27/time.Since(started).Seconds())
}

func TestServersAreNoOthers(t *testing.T) {
	if _, err := othersTime(nil); err != nil {
		t.Skip(err)
	}
	pid := spin(t)
	all, err := othersTime(nil)
	require.NoError(t, err)
	for begun := time.Now(); time.Since(begun) < patience; {
		if used, err := CPU(pid); err != nil || used > 500*time.Millisecond {
			require.NoError(t, err)
			break
		}
		require.NoError(t, Pause(t.Context(), 10*time.Millisecond))
	}
	but, err := othersTime([]int{pid})
	require.NoError(t, err)
	with, err := othersTime(nil)
	require.NoError(t, err)
	require.GreaterOrEqual(t, with-but, 400*time.Millisecond)
	require.GreaterOrEqual(t, with-all, 400*time.Millisecond)
}

func TestDisturbedMeasurementsAreRepeated(t *testing.T) {
	for _, c := range []struct {
		others []float64
		least  float64
		taken  int
	}{
		{[]float64{0}, 0, 1},
		{[]float64{0.5, 0.05}, 0.05, 2},
		{[]float64{0.5, 0.2, 0.3}, 0.2, attempts},
	} {
		taken := 0
		found, err := LeastDisturbed(func() (load.Sample, error) {
			taken++
			return load.Sample{Rate: float64(taken), Others: c.others[taken-1]}, nil
		})
		require.NoError(t, err)
		require.Equal(t, c.least, found.Others)
		require.Equal(t, c.least, c.others[int(found.Rate)-1], "the sample is that one's")
		require.Equal(t, c.taken, taken)
	}
	_, err := LeastDisturbed(func() (load.Sample, error) { return load.Sample{}, io.ErrUnexpectedEOF })
	require.ErrorIs(t, err, io.ErrUnexpectedEOF)
}
