package scripts

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLibraryIsBounded: the library forgets what was not used for the longest time, and last what SCRIPT LOAD has sent.
func TestLibraryIsBounded(t *testing.T) {
	var l library
	add := func(name string, size int, keep bool) {
		l.add(&known{sha: name, text: make([]byte, size), keep: keep})
	}
	add("loaded", 1, true)
	for i := range 2 * maxScripts {
		add(fmt.Sprint("eval", i), 1, false)
		require.NotNil(t, l.find([]byte("eval0")), "it is in use")
	}
	scripts, bytes := l.size()
	require.Equal(t, maxScripts, scripts)
	require.Equal(t, maxScripts, bytes)
	require.NotNil(t, l.find([]byte("loaded")))
	require.Nil(t, l.find([]byte("eval1")))
	for i := range 100 {
		add(fmt.Sprint("large", i), 1<<20, false)
	}
	_, bytes = l.size()
	require.LessOrEqual(t, bytes, maxBytes)
	require.NotNil(t, l.find([]byte("loaded")))
	l.flush()
	scripts, bytes = l.size()
	require.Zero(t, scripts+bytes)
}

// TestEnginesAreBounded: so many scripts run at a time, and no more.
func TestEnginesAreBounded(t *testing.T) {
	var e engines
	var taken []*runner
	for range maxRunning {
		r, err := e.take()
		require.NoError(t, err)
		taken = append(taken, r)
	}
	_, err := e.take()
	require.Equal(t, errTooMany, err)
	for _, r := range taken {
		e.give(r)
	}
	require.Len(t, e.idle, maxIdle)
	_, err = e.take()
	require.NoError(t, err)
}
