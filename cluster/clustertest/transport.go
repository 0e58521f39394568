package clustertest

import (
	"bytes"
	"io"
	"sync"
	"time"

	"cellserver/cluster/raftlog"

	"github.com/hashicorp/raft"
)

// Transport is one node's place in a Network. It implements [raft.Transport].
type Transport struct {
	network *Network
	addr    raft.ServerAddress
	rpcs    chan raft.RPC
	closed  chan struct{}
	history *raftlog.Joined // screens messages; may be nil

	mu        sync.Mutex // guards heartbeat and paused
	heartbeat func(raft.RPC)
	paused    chan struct{} // closed at the end of the pause; nil: the node is not paused
}

// Join returns the transport of a node. It replaces an earlier one with the same address.
func (w *Network) Join(addr raft.ServerAddress, history *raftlog.Joined) *Transport {
	t := &Transport{network: w, addr: addr, history: history, rpcs: make(chan raft.RPC, 16), closed: make(chan struct{})}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.nodes[addr] = t
	return t
}

// Leave takes the transport out of the network. Requests that wait get no reply.
func (t *Transport) Leave() {
	close(t.closed)
	t.network.mu.Lock()
	defer t.network.mu.Unlock()
	if t.network.nodes[t.addr] == t {
		delete(t.network.nodes, t.addr)
	}
}

// Pause stops all messages from and to the node, or lets them go on. None of them is lost.
func (t *Transport) Pause(paused bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	switch {
	case paused && t.paused == nil:
		t.paused = make(chan struct{})
	case !paused && t.paused != nil:
		close(t.paused)
		t.paused = nil
	}
}

func (t *Transport) isPaused() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.paused != nil
}

// awaitPause waits until the node is not paused.
func (t *Transport) awaitPause() {
	t.mu.Lock()
	paused := t.paused
	t.mu.Unlock()
	if paused != nil {
		select {
		case <-paused:
		case <-t.closed:
		}
	}
}

// receive makes this node's raft process a request.
func (t *Transport) receive(rpc raft.RPC) (raft.RPCResponse, error) {
	t.awaitPause()
	replies := make(chan raft.RPCResponse, 1)
	rpc.RespChan = replies
	if t.history != nil {
		rpc = t.history.Screen(rpc, t.closed)
	}
	t.mu.Lock()
	heartbeat := t.heartbeat
	t.mu.Unlock()
	if heartbeat != nil && isHeartbeat(rpc.Command) {
		heartbeat(rpc)
	} else {
		select {
		case t.rpcs <- rpc:
		case <-t.closed:
			return raft.RPCResponse{}, errRefused
		}
	}
	timeout := time.NewTimer(20 * answerTimeout)
	defer timeout.Stop()
	select {
	case reply := <-replies:
		t.awaitPause()
		return reply, nil
	case <-t.closed:
		return raft.RPCResponse{}, errRefused
	case <-timeout.C:
		return raft.RPCResponse{}, errTimeout
	}
}

// isHeartbeat reports whether raft processes a request at once, without its queue.
func isHeartbeat(command any) bool {
	r, ok := command.(*raft.AppendEntriesRequest)
	return ok && r.Term != 0 && r.PrevLogEntry == 0 && r.PrevLogTerm == 0 && len(r.Entries) == 0 && r.LeaderCommitIndex == 0
}

// Consumer implements [raft.Transport].
func (t *Transport) Consumer() <-chan raft.RPC { return t.rpcs }

// LocalAddr implements [raft.Transport].
func (t *Transport) LocalAddr() raft.ServerAddress { return t.addr }

// EncodePeer implements [raft.Transport].
func (t *Transport) EncodePeer(_ raft.ServerID, addr raft.ServerAddress) []byte { return []byte(addr) }

// DecodePeer implements [raft.Transport].
func (t *Transport) DecodePeer(b []byte) raft.ServerAddress { return raft.ServerAddress(b) }

// SetHeartbeatHandler implements [raft.Transport].
func (t *Transport) SetHeartbeatHandler(handle func(raft.RPC)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.heartbeat = handle
}

// AppendEntriesPipeline implements [raft.Transport]: raft sends one request after the other.
func (t *Transport) AppendEntriesPipeline(raft.ServerID, raft.ServerAddress) (raft.AppendPipeline, error) {
	return nil, raft.ErrPipelineReplicationNotSupported
}

// call sends a request of raft, and sets its reply.
func call[Reply any](t *Transport, to raft.ServerAddress, newRPC func() raft.RPC, reply *Reply) error {
	t.awaitPause()
	got, err := t.network.call(link{t.addr, to}, newRPC)
	if err == nil {
		*reply = *got.(*Reply)
	}
	return err
}

// AppendEntries implements [raft.Transport].
func (t *Transport) AppendEntries(_ raft.ServerID, to raft.ServerAddress, args *raft.AppendEntriesRequest, reply *raft.AppendEntriesResponse) error {
	return call(t, to, func() raft.RPC {
		c := *args
		c.Entries = make([]*raft.Log, len(args.Entries))
		for i, l := range args.Entries {
			entry := *l
			c.Entries[i] = &entry
		}
		return raft.RPC{Command: &c}
	}, reply)
}

// RequestVote implements [raft.Transport].
func (t *Transport) RequestVote(_ raft.ServerID, to raft.ServerAddress, args *raft.RequestVoteRequest, reply *raft.RequestVoteResponse) error {
	return call(t, to, func() raft.RPC { c := *args; return raft.RPC{Command: &c} }, reply)
}

// RequestPreVote implements [raft.WithPreVote].
func (t *Transport) RequestPreVote(_ raft.ServerID, to raft.ServerAddress, args *raft.RequestPreVoteRequest, reply *raft.RequestPreVoteResponse) error {
	return call(t, to, func() raft.RPC { c := *args; return raft.RPC{Command: &c} }, reply)
}

// TimeoutNow implements [raft.Transport].
func (t *Transport) TimeoutNow(_ raft.ServerID, to raft.ServerAddress, args *raft.TimeoutNowRequest, reply *raft.TimeoutNowResponse) error {
	return call(t, to, func() raft.RPC { c := *args; return raft.RPC{Command: &c} }, reply)
}

// InstallSnapshot implements [raft.Transport].
func (t *Transport) InstallSnapshot(_ raft.ServerID, to raft.ServerAddress, args *raft.InstallSnapshotRequest, reply *raft.InstallSnapshotResponse, in io.Reader) error {
	data, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	return call(t, to, func() raft.RPC { c := *args; return raft.RPC{Command: &c, Reader: bytes.NewReader(data)} }, reply)
}
