package raftlog

import (
	"errors"
	"io"

	"github.com/hashicorp/raft"
)

// ErrHeld is the error with which Raft gives up a snapshot whose entries this node has. The sender gets a
// success.
var ErrHeld = errors.New("this node has the entries before the end of the snapshot, and needs no snapshot")

// Screen returns a message for Raft. Raft does not install a snapshot if the node has its last entry when
// Raft begins to read it. Its sender gets a success. Raft 1.8.0 would replace the state and the whole log
// by a late copy, too. So it would lose later entries that it has confirmed, and panic when they are
// committed. The paper on Raft (figure 13, step 6) keeps these entries.
//
// Screen works for the message until Raft answers, or closed is closed.
func (j *Joined) Screen(rpc raft.RPC, closed <-chan struct{}) raft.RPC {
	request, ok := rpc.Command.(*raft.InstallSnapshotRequest)
	if !ok {
		return rpc
	}
	answers := make(chan raft.RPCResponse, 1)
	go passAnswer(answers, rpc.RespChan, closed)
	rpc.RespChan = answers
	rpc.Reader = &screened{Reader: rpc.Reader, held: func() bool { return j.holds(request) }}
	return rpc
}

// passAnswer passes the answer to a snapshot on. The sender of a held snapshot gets a success.
func passAnswer(from <-chan raft.RPCResponse, to chan<- raft.RPCResponse, closed <-chan struct{}) {
	select {
	case answer := <-from:
		if r, ok := answer.Response.(*raft.InstallSnapshotResponse); ok && answer.Error == ErrHeld {
			r.Success, answer.Error = true, nil
		}
		to <- answer // has room for it
	case <-closed:
	}
}

// screened is the body of a snapshot. Raft's main goroutine reads it, so the log does not change at its end
// meanwhile.
type screened struct {
	io.Reader
	held  func() bool
	begun bool
}

// Read implements [io.Reader]. It asks once, and skips the body of a held snapshot.
func (s *screened) Read(p []byte) (int, error) {
	if !s.begun {
		s.begun = true
		if s.held() {
			_, _ = io.Copy(io.Discard, s.Reader)
			return 0, ErrHeld
		}
	}
	return s.Reader.Read(p)
}

// holds reports whether the node has the last entry of a snapshot: in its log, or in its own snapshot.
func (j *Joined) holds(r *raft.InstallSnapshotRequest) bool {
	if own := j.opened.Load(); own != nil && r.LastLogIndex < own.Index {
		return true
	}
	var l raft.Log
	if j.GetLog(r.LastLogIndex, &l) == nil {
		return l.Term == r.LastLogTerm
	}
	first, err := j.FirstIndex()
	return err == nil && r.LastLogIndex < first
}
