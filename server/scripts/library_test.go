package scripts

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLibraryIsBounded: the library forgets what was not used for the longest time. It keeps what SCRIPT LOAD has sent,
// however many scripts EVAL or SCRIPT LOAD send, until their bytes exceed the bound.
func TestLibraryIsBounded(t *testing.T) {
	var l library
	add := func(name string, size int, keep bool) {
		l.add(&known{sha: name, text: make([]byte, size)}, keep)
	}
	for i := range 3 * maxEvals {
		add(fmt.Sprint("load", i), 1, true)
	}
	for i := range 2 * maxEvals {
		add(fmt.Sprint("eval", i), 1, false)
		require.NotNil(t, l.find([]byte("eval0")), "it is in use")
	}
	scripts, bytes, forgotten := l.size()
	require.Equal(t, 2*maxEvals+3*maxEvals, scripts+int(forgotten))
	require.LessOrEqual(t, scripts, 3*maxEvals+maxEvals)
	require.Greater(t, scripts, 3*maxEvals+maxEvals*7/8)
	require.Equal(t, scripts*(1+scriptBytes), bytes)
	require.NotNil(t, l.find([]byte("load0")))
	require.Nil(t, l.find([]byte("eval1")))
	add("eval0", 1, true) // SCRIPT LOAD sends it, too
	for i := range 100 {
		add(fmt.Sprint("large", i), 1<<20, false)
		_, bytes, _ = l.size()
		require.LessOrEqual(t, bytes, maxBytes)
	}
	require.NotNil(t, l.find([]byte("load0")))
	require.NotNil(t, l.find([]byte("eval0")))
	require.NotNil(t, l.find([]byte("large99")))
	for i := range 32 {
		add(fmt.Sprint("kept", i), 1<<20, true)
		_, bytes, _ = l.size()
		require.LessOrEqual(t, bytes, maxBytes)
		require.NotNil(t, l.find([]byte("load0")), "it is in use")
	}
	require.Nil(t, l.find([]byte("load1")))
	add("huge", 2*maxBytes, false)
	scripts, _, _ = l.size()
	require.Equal(t, 1, scripts)
	l.flush()
	scripts, bytes, _ = l.size()
	require.Zero(t, scripts+bytes)
	require.Zero(t, l.evals)
}

// TestLoadedAfter: another node gets what SCRIPT LOAD has sent since it asked last, also if it was sent again.
func TestLoadedAfter(t *testing.T) {
	loaded := 0
	s := Scripts{Loaded: func() { loaded++ }}
	load := func(texts ...string) {
		for _, text := range texts {
			_, err := s.Load([]byte(text))
			require.NoError(t, err)
		}
	}
	after := func(number int64) (texts []string, last int64) {
		all, last := s.LoadedAfter(number)
		for _, text := range all {
			texts = append(texts, string(text))
		}
		return texts, last
	}
	texts, last := after(0)
	require.Empty(t, texts)
	s.library.add(&known{sha: "e", text: []byte("EVAL has sent it")}, false)
	load("return 1", "return 2")
	texts, last = after(last)
	require.ElementsMatch(t, []string{"return 1", "return 2"}, texts)
	texts, last = after(last)
	require.Empty(t, texts)
	load("return 2")
	texts, last = after(last)
	require.Equal(t, []string{"return 2"}, texts)
	require.Equal(t, 3, loaded)

	s.Keep([]byte("return 2")) // it comes back from the other node, and goes no further
	texts, last = after(last)
	require.Empty(t, texts)
	require.Equal(t, 3, loaded)
	text := []byte("#!lua flags=no-writes\nreturn 3")
	s.Keep(text)
	copy(text, "its buffer has the next bytes")
	texts, _ = after(last)
	require.Equal(t, []string{"#!lua flags=no-writes\nreturn 3"}, texts)
	require.Equal(t, 4, loaded)
	_, err := s.Load([]byte("no Lua"))
	require.Error(t, err)
	s.Flush()
	texts, _ = after(0)
	require.Empty(t, texts)
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
