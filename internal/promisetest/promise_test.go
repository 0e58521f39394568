package promisetest

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// evenly returns n actions, one every so often.
func evenly(n int, from, every time.Duration) (all []Action) {
	for i := range n {
		asked := from + time.Duration(i)*every
		all = append(all, Action{asked, asked + time.Millisecond})
	}
	return all
}

// TestPromises: each promise holds for what its limit admits, and breaks with a few actions more.
func TestPromises(t *testing.T) {
	const ms = time.Millisecond
	twoWindows := append(evenly(10, 900*ms, ms), evenly(10, 1000*ms, ms)...)
	for name, one := range map[string]struct {
		promise    Promise
		kept, more []Action
	}{
		"bucket":  {Bucket(10, 100, time.Second), evenly(100, 0, 10*ms), evenly(30, 0, 2*ms)},
		"log":     {AnyPeriod(10, time.Second), evenly(30, 0, 101*ms), evenly(30, 0, 90*ms)},
		"aligned": {Aligned(10, time.Second, 0), twoWindows, evenly(11, 0, ms)},
		"moved":   {Aligned(10, time.Second, 500*ms), evenly(10, 500*ms, ms), twoWindows},
		"sliding": {Sliding(10, time.Second, 0), evenly(30, 0, 100*ms), twoWindows},
	} {
		require.NoError(t, one.promise(one.kept), name)
		require.NoError(t, one.promise(nil), name)
		require.Error(t, one.promise(one.more), name)
	}
}

// TestLateReplies: an action that may have happened outside of a window does not count in it.
func TestLateReplies(t *testing.T) {
	late := evenly(30, 0, time.Millisecond)
	for i := range late {
		late[i].Answered = 10 * time.Second
	}
	for _, p := range []Promise{Bucket(10, 2, time.Second), AnyPeriod(10, time.Second), Aligned(10, time.Second, 0), Sliding(10, time.Second, 0)} {
		require.NoError(t, p(late))
	}
}
