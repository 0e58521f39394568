package aof

import (
	"fmt"
	"testing"
	"time"

	"cellserver/persistence/fs/fstest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// result receives what Later tells.
func result() (chan bool, func(safe bool)) {
	told := make(chan bool, 1)
	return told, func(safe bool) { told <- safe }
}

func await(t *testing.T, told chan bool) bool {
	t.Helper()
	select {
	case safe := <-told:
		return safe
	case <-time.After(patience):
		t.Fatal("Later does not answer")
		return false
	}
}

// Later does not wait for a sync under Always, and one sync serves all callers that have collected.
func TestLaterUnderAlways(t *testing.T) {
	gate := make(chan struct{}, 100)
	for range 10 {
		gate <- struct{}{}
	}
	l := start(t, slow{memory(), gate}, Always)
	for len(gate) > 0 {
		<-gate
	}
	j := l.journal
	before := j.Begun()
	safe, now := j.Later(before, j.Mark(), nil)
	require.True(t, safe && now, "nothing waits")
	var all []chan bool
	for i := range 5 {
		set(l.store, fmt.Sprint(i), 1)
		told, done := result()
		_, now := j.Later(j.Begun(), j.Mark(), done)
		require.False(t, now)
		all = append(all, told)
	}
	require.True(t, j.ReadsWait())
	safe, now = j.Later(before, j.Mark(), nil)
	require.True(t, safe && now, "what was written before needs no sync")
	gate <- struct{}{}
	require.True(t, await(t, all[0]))
	gate <- struct{}{}
	for _, told := range all[1:] {
		require.True(t, await(t, told))
	}
	close(gate)
	j.Stop()
	again, _, err := load(t, l.files)
	require.NoError(t, err)
	require.EqualValues(t, 1, number(again.store, "4"))
}

// While a file is forced to disk, Later leaves the write to another goroutine, because the kernel can hold it up.
func TestLaterDuringASync(t *testing.T) {
	gate := make(chan struct{}, 100)
	for range 10 {
		gate <- struct{}{}
	}
	l := start(t, slow{memory(), gate}, EverySecond)
	for len(gate) > 0 {
		<-gate
	}
	j, at := l.journal, int64(1e10)
	tick := func(seconds float64) {
		for range int(seconds * 10) {
			at += 1e8
			j.Tick(at)
		}
	}
	tick(1)
	set(l.store, "a", 1)
	safe, now := j.Later(j.Begun(), j.Mark(), nil)
	require.True(t, safe && now, "the caller writes")
	tick(1.5)
	require.True(t, j.Syncing())
	set(l.store, "b", 1)
	told, done := result()
	_, now = j.Later(j.Begun(), j.Mark(), done)
	require.False(t, now)
	require.True(t, await(t, told), "the kernel has it, and the sync is not late")
	tick(0.5)
	set(l.store, "c", 1)
	late, done := result()
	_, now = j.Later(j.Begun(), j.Mark(), done)
	require.False(t, now)
	select {
	case <-late:
		t.Fatal("more than two seconds of changes could be lost")
	case <-time.After(20 * time.Millisecond):
	}
	close(gate)
	require.True(t, await(t, late))
	j.Stop()
}

// Later leaves large changes to another goroutine, and does not wait while that goroutine writes them.
func TestLaterOfLargeChanges(t *testing.T) {
	files := memory()
	l := start(t, files, EverySecond)
	j := l.journal
	writing, gate := make(chan struct{}, 10), make(chan struct{})
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "write" {
			writing <- struct{}{}
			<-gate
		}
		return nil
	}
	write(l.store, now, func(tx *store.Tx) {
		e := tx.Write([]byte("large"))
		e.SetBytes(make([]byte, maxAtOnce+1), store.NoExpiry)
	})
	large, done := result()
	_, now := j.Later(j.Begun(), j.Mark(), done)
	require.False(t, now)
	<-writing
	set(l.store, "small", 1)
	small, done := result()
	_, now = j.Later(j.Begun(), j.Mark(), done)
	require.False(t, now, "the caller would wait for the large write")
	require.Empty(t, large)
	close(gate)
	require.True(t, await(t, large))
	require.True(t, await(t, small))
	set(l.store, "small", 2)
	safe, now := j.Later(j.Begun(), j.Mark(), nil)
	require.True(t, safe && now, "the caller writes a small change")
}

func TestLaterTellsOfALostChange(t *testing.T) {
	files := memory()
	l := start(t, files, Always)
	j := l.journal
	files.Fault = func(op fstest.Op) error {
		if op.Kind == "sync" {
			return fmt.Errorf("no")
		}
		return nil
	}
	mark := j.Mark()
	set(l.store, "a", 1)
	told, done := result()
	_, now := j.Later(j.Begun(), mark, done)
	require.False(t, now)
	require.False(t, await(t, told))
	safe, now := j.Later(j.Begun(), mark, nil)
	require.True(t, now)
	require.False(t, safe, "it began before the failure")
}
