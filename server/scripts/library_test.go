package scripts

import (
	"fmt"
	"testing"

	"cellserver/script"

	"github.com/stretchr/testify/require"
)

// TestLibraryIsBounded: the library forgets what was not used for the longest time. It keeps what SCRIPT LOAD has sent,
// however many scripts EVAL or SCRIPT LOAD send, until their bytes exceed the bound.
func TestLibraryIsBounded(t *testing.T) {
	var l library
	add := func(name string, size int, keep bool) {
		by := byEval
		if keep {
			by = byLoad
		}
		l.add(&known{sha: name, text: make([]byte, size)}, by)
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
	s.library.add(&known{sha: "e", text: []byte("EVAL has sent it")}, byEval)
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

// TestFullLibrariesComeToRest: two nodes whose libraries are full of other scripts send them to each other once, when
// they connect, and not for ever.
func TestFullLibrariesComeToRest(t *testing.T) {
	var nodes [2]Scripts
	for i := range nodes {
		for n := range 31 {
			text := fmt.Appendf(nil, "return %d --%d%s", n, i, make([]byte, 1<<20))
			nodes[i].library.add(&known{sha: script.SHA(text), text: text}, byLoad)
		}
	}
	var sent [2]int64
	exchange := func() (n int) {
		var texts [2][][]byte
		for i := range nodes {
			texts[i], sent[i] = nodes[i].LoadedAfter(sent[i])
			n += len(texts[i])
		}
		for i := range nodes {
			for _, text := range texts[1-i] {
				nodes[i].Keep(text)
			}
		}
		return n
	}
	require.Equal(t, 2*31, exchange())
	require.Zero(t, exchange())
	text := []byte("return 'new'")
	_, err := nodes[0].Load(text)
	require.NoError(t, err)
	require.Equal(t, 1, exchange())
	require.True(t, nodes[1].Exists([]byte(script.SHA(text))), "a full library keeps what comes")
	all, _ := nodes[1].LoadedAfter(0)
	n, _, _ := nodes[1].Size()
	require.Len(t, all, n, "a node that connects gets those that did not go on")
}

// TestLoadsAreFoundAtOnce: who asks for the last SCRIPT LOAD looks at no other one, and repeated ones take no memory.
func TestLoadsAreFoundAtOnce(t *testing.T) {
	var l library
	for i := range 1000 {
		l.add(&known{sha: fmt.Sprint(i), text: []byte("return 1")}, byLoad)
	}
	last := l.lastLoad.Load()
	for i := range l.loads {
		l.loads[i].script = nil // a look at it would panic
	}
	again := &known{sha: "again", text: []byte("return 2")}
	l.add(again, byLoad)
	texts, last := l.loadedAfter(last)
	require.Equal(t, [][]byte{again.text}, texts)
	l.flush()
	for range 10_000 {
		l.add(again, byLoad)
		require.LessOrEqual(t, len(l.loads), 100)
	}
	texts, _ = l.loadedAfter(last)
	require.Equal(t, [][]byte{again.text}, texts)
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
