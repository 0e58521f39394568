package peer

import (
	"net"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// take takes the next request of a transport, and answers it.
func take(t *testing.T, from *Carrier) *raft.AppendEntriesRequest {
	rpc := <-from.Consumer()
	rpc.Respond(&raft.AppendEntriesResponse{Term: 5, Success: true}, nil)
	return rpc.Command.(*raft.AppendEntriesRequest)
}

// A follower learns that its last entries are committed without a request of Raft, once. Raft does not see the request.
func TestFollowersLearnTheCommit(t *testing.T) {
	a, b := start(t), start(t)
	var applied, leads atomic.Uint64
	leads.Store(5)
	applied.Store(9) // more than the follower has
	a.commits = func(term uint64) uint64 {
		if term != leads.Load() {
			return 0
		}
		return applied.Load()
	}
	p := connect(t, a, b)
	for last := uint64(1); last <= 3; last++ {
		_, err := p.AppendEntries(oneEntry(last), new(raft.AppendEntriesResponse))
		require.NoError(t, err)
		require.Len(t, take(t, b).Entries, 1)
		require.Equal(t, last, (<-p.Consumer()).Request().Entries[0].Index)
		told := take(t, b)
		require.Empty(t, told.Entries)
		require.Equal(t, []uint64{5, last, last}, []uint64{told.Term, told.PrevLogEntry, told.LeaderCommitIndex})
	}
	applied.Store(0) // nothing new is committed, so a pause before the next request tells nothing
	_, err := p.AppendEntries(oneEntry(4), new(raft.AppendEntriesResponse))
	require.NoError(t, err)
	require.Len(t, take(t, b).Entries, 1)
	<-p.Consumer()
	idle := &raft.AppendEntriesRequest{Term: 5, PrevLogEntry: 4, LeaderCommitIndex: 4}
	for range 3 { // Raft has told it
		_, err = p.AppendEntries(idle, new(raft.AppendEntriesResponse))
		require.NoError(t, err)
		applied.Store(4) // once the request is on its way
		require.Equal(t, uint64(4), take(t, b).LeaderCommitIndex)
		require.Same(t, idle, (<-p.Consumer()).Request())
	}
	leads.Store(6) // the node has lost the lead, and has applied entries of another leader
	applied.Store(9)
	for last := uint64(5); last <= 7; last++ {
		_, err := p.AppendEntries(oneEntry(last), new(raft.AppendEntriesResponse))
		require.NoError(t, err)
		require.Len(t, take(t, b).Entries, 1)
		<-p.Consumer()
		time.Sleep(3 * restFor)
	}
}

// A pause that ends at the moment at which its timer fires is no late answer.
func TestAMissedRestIsNotLate(t *testing.T) {
	p := &pipeline{timeout: time.Hour, closed: make(chan struct{}), sending: make(chan struct{}, 1), commits: func(uint64) uint64 { return 0 }}
	fired := make(chan struct{})
	p.late = time.AfterFunc(0, func() { close(fired) })
	<-fired
	p.rest.now = true
	p.flies()
	p.timeUp()
	require.False(t, p.isClosed())
}

// A whole request, and the next one, may come between the moment at which the timer fires and timeUp.
func TestMissedRestsAreCounted(t *testing.T) {
	const unfired = time.Hour
	for _, requests := range []int{1, 2, 3} {
		conn, _ := net.Pipe()
		p := &pipeline{conn: conn, timeout: unfired, closed: make(chan struct{}), sending: make(chan struct{}, 1), judge: func(error) {},
			commits: func(uint64) uint64 { return 0 }}
		fired := make(chan struct{})
		p.late = time.AfterFunc(0, func() { close(fired) })
		<-fired
		p.rest.now = true
		for range requests {
			p.flies()
			p.lands(oneEntry(1), true)
			p.late.Reset(unfired) // the next request ends this pause before its end
		}
		p.timeUp() // of the first pause
		require.False(t, p.isClosed())
		p.timeUp() // of the last one
		require.False(t, p.isClosed(), "%d requests", requests)
		p.timeUp()
		require.True(t, p.isClosed(), "an answer is late")
		p.late.Stop()
	}
}

// A connection that ends while only a request of its own waits ends the pipeline, and tells Raft of no other request.
func TestAnOwnRequestFailsAlone(t *testing.T) {
	a, b := start(t), start(t)
	a.commits = func(uint64) uint64 { return 9 }
	p := connect(t, a, b).(*pipeline)
	_, err := p.AppendEntries(oneEntry(1), new(raft.AppendEntriesResponse))
	require.NoError(t, err)
	take(t, b)
	require.NoError(t, (<-p.Consumer()).Error())
	<-b.Consumer() // the request that Raft does not know
	require.NoError(t, b.Close())
	<-p.closed
	require.Empty(t, p.Consumer())
}
