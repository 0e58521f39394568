package peer

import (
	"fmt"
	"io"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/hashicorp/go-hclog"
	"github.com/hashicorp/raft"
	"github.com/stretchr/testify/require"
)

// layer is a raft.StreamLayer over TCP.
type layer struct {
	net.Listener
	to string // where Dial connects to, if it is not ""
}

func (l *layer) Dial(to raft.ServerAddress, timeout time.Duration) (net.Conn, error) {
	if l.to != "" {
		to = raft.ServerAddress(l.to)
	}
	return net.DialTimeout("tcp", string(to), timeout)
}

func listen(t *testing.T) *layer {
	ln, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { _ = ln.Close() })
	return &layer{Listener: ln}
}

// start starts a transport. Entries have a port of their own.
func start(t *testing.T) *Carrier { return startAfter(t, nil, nil) }

// startAfter starts a transport whose messages wait for quiet, and pass a screen.
func startAfter(t *testing.T, quiet <-chan time.Time, screen Screen) *Carrier {
	network := raft.NewNetworkTransport(listen(t), 3, time.Minute, io.Discard)
	c := NewCarrier(network, listen(t), time.Minute, quiet, nil, screen, hclog.NewNullLogger())
	t.Cleanup(func() { require.NoError(t, c.Close()) })
	return c
}

// connect returns a pipeline from one transport to another.
func connect(t *testing.T, from, to *Carrier) raft.AppendPipeline {
	from.entries.(*layer).to = to.entries.Addr().String()
	p, err := from.AppendEntriesPipeline("id", to.LocalAddr())
	require.NoError(t, err)
	t.Cleanup(func() { _ = p.Close() })
	return p
}

// oneEntry returns a request with one entry.
func oneEntry(index uint64) *raft.AppendEntriesRequest {
	return &raft.AppendEntriesRequest{Term: 5, Entries: []*raft.Log{{Index: index, Data: fmt.Append(nil, "entry ", index)}}}
}

func TestAnswersHaveTheOrderOfRequests(t *testing.T) {
	a, b := start(t), start(t)
	p := connect(t, a, b)
	const requests = 100
	var working sync.WaitGroup
	working.Go(func() {
		for i := range requests {
			rpc := <-b.Consumer()
			r := rpc.Command.(*raft.AppendEntriesRequest)
			if string(r.Entries[0].Data) != fmt.Sprint("entry ", i) {
				t.Errorf("request %d has %q", i, r.Entries[0].Data)
			}
			rpc.Respond(&raft.AppendEntriesResponse{Term: 5, LastLog: r.Entries[0].Index, Success: true}, nil)
		}
	})
	working.Go(func() {
		for i := range uint64(requests) {
			_, err := p.AppendEntries(oneEntry(i), new(raft.AppendEntriesResponse))
			if err != nil {
				t.Error(err)
			}
		}
	})
	for i := range uint64(requests) {
		done := <-p.Consumer()
		require.NoError(t, done.Error())
		require.Equal(t, i, done.Request().Entries[0].Index)
		require.Equal(t, raft.AppendEntriesResponse{Term: 5, LastLog: i, Success: true}, *done.Response())
	}
	working.Wait()
}

// Messages of Raft's own transport pass the screen. It may change them and their answers.
func TestMessagesPassTheScreen(t *testing.T) {
	held := make(chan raft.RPC, 1)
	a, b := start(t), startAfter(t, nil, func(rpc raft.RPC, _ <-chan struct{}) raft.RPC {
		held <- rpc
		return raft.RPC{Command: "in its place"}
	})
	answer := make(chan error, 1)
	var reply raft.InstallSnapshotResponse
	go func() {
		answer <- a.InstallSnapshot("b", b.LocalAddr(), &raft.InstallSnapshotRequest{Size: 4}, &reply, strings.NewReader("body"))
	}()
	require.Equal(t, "in its place", (<-b.Consumer()).Command)
	rpc := <-held
	body, err := io.ReadAll(rpc.Reader)
	require.NoError(t, err)
	require.Equal(t, "body", string(body))
	rpc.Respond(&raft.InstallSnapshotResponse{Success: true}, nil)
	require.NoError(t, <-answer)
	require.True(t, reply.Success)
}

// Raft ends a pipeline if a request fails, or if the pipeline is closed. So the end of a connection must cause one of them.
func TestARequestFailsWithItsConnection(t *testing.T) {
	for name, end := range map[string]func(p *pipeline, b *Carrier, rpc raft.RPC){
		"the receiver refuses":       func(_ *pipeline, _ *Carrier, rpc raft.RPC) { rpc.Respond(nil, io.ErrNoProgress) },
		"the receiver ends":          func(_ *pipeline, b *Carrier, _ raft.RPC) { _ = b.Close() },
		"the connection ends":        func(p *pipeline, _ *Carrier, _ raft.RPC) { _ = p.conn.Close() },
		"the answer does not come":   func(p *pipeline, _ *Carrier, _ raft.RPC) { p.late.Reset(0) },
		"the answer has no success":  func(_ *pipeline, _ *Carrier, rpc raft.RPC) { rpc.Respond(&raft.AppendEntriesResponse{}, nil) },
		"the receiver has no answer": func(_ *pipeline, _ *Carrier, rpc raft.RPC) { rpc.Respond(nil, nil) },
	} {
		t.Run(name, func(t *testing.T) {
			a, b := start(t), start(t)
			p := connect(t, a, b).(*pipeline)
			_, err := p.AppendEntries(oneEntry(1), new(raft.AppendEntriesResponse))
			require.NoError(t, err)
			end(p, b, <-b.Consumer())
			select {
			case done := <-p.Consumer():
				require.False(t, done.Response().Success)
			case <-p.closed:
			}
			if name != "the answer has no success" {
				<-p.closed
				_, err = p.AppendEntries(oneEntry(2), new(raft.AppendEntriesResponse))
				require.ErrorIs(t, err, raft.ErrPipelineShutdown)
			}
		})
	}
}

func TestFewRequestsAreInFlight(t *testing.T) {
	a, b := start(t), start(t)
	p := connect(t, a, b)
	for i := range uint64(inFlight) {
		_, err := p.AppendEntries(oneEntry(i), new(raft.AppendEntriesResponse))
		require.NoError(t, err)
	}
	failed := make(chan error, 1)
	go func() {
		_, err := p.AppendEntries(oneEntry(inFlight), new(raft.AppendEntriesResponse))
		failed <- err
	}()
	<-b.Consumer() // the first one has arrived, and is not answered
	require.Empty(t, failed)
	require.NoError(t, p.Close())
	require.ErrorIs(t, <-failed, raft.ErrPipelineShutdown)
}

// The other messages of Raft take its own transport, and come to the same consumer.
func TestOtherMessagesTakeRaftsTransport(t *testing.T) {
	a, b := start(t), start(t)
	go func() {
		rpc := <-b.Consumer()
		rpc.Respond(&raft.RequestVoteResponse{Term: 9, Granted: true}, nil)
	}()
	var answer raft.RequestVoteResponse
	require.NoError(t, a.RequestVote("id", b.LocalAddr(), &raft.RequestVoteRequest{Term: 9}, &answer))
	require.True(t, answer.Granted)
}

// A request for a vote waits. It would break a promise that a previous process has made.
func TestMessagesWaitUntilItIsQuiet(t *testing.T) {
	quiet := make(chan time.Time)
	a, b := start(t), startAfter(t, quiet, nil)
	asked := make(chan error, 1)
	var answer raft.RequestVoteResponse
	go func() { asked <- a.RequestVote("id", b.LocalAddr(), &raft.RequestVoteRequest{Term: 5}, &answer) }()
	select {
	case <-b.Consumer():
		require.Fail(t, "the request has not waited")
	case <-time.After(100 * time.Millisecond):
	}
	quiet <- time.Time{}
	rpc := <-b.Consumer()
	rpc.Respond(&raft.RequestVoteResponse{Term: 6}, nil)
	require.NoError(t, <-asked)
	require.EqualValues(t, 6, answer.Term)
}

func TestWithoutAConnectionRaftSendsOneByOne(t *testing.T) {
	a := start(t)
	require.NoError(t, a.Close())
	require.NoError(t, a.Close())
	a.entries.(*layer).to = a.entries.Addr().String()
	_, err := a.AppendEntriesPipeline("id", "")
	require.ErrorIs(t, err, raft.ErrPipelineReplicationNotSupported)
}
