package group

import (
	"errors"

	"github.com/hashicorp/raft"
)

// voting is a transport that counts a vote only for the node that was asked. Raft asks an address. A node
// that has lost its disk gets a new id, and may answer at the address of its former id. It does not know
// which entries it has confirmed before, so its vote could elect a leader that lacks them.
//
// Its confirmations of new entries count, because it has these entries. It elects nobody. So each majority
// that elects a leader has another node that has confirmed them, too.
//
// It also asks voters that do not know this node as a voter yet. Raft makes them refuse a candidate that their
// own members do not have. But a new voter may have the only complete log: then nobody could be elected. The
// log of the candidate decides (Ongaro's thesis on Raft, 4.1).
type voting struct{ raft.Transport }

func onlyAsked(t raft.Transport) raft.Transport { return voting{t} }

// ErrOtherNode says that another node answers at the address of a voter.
var ErrOtherNode = errors.New("another node answers at the address of this voter: its disk is lost, or its address has changed")

// RequestVote implements [raft.Transport].
func (t voting) RequestVote(id raft.ServerID, to raft.ServerAddress,
	args *raft.RequestVoteRequest, reply *raft.RequestVoteResponse) error {
	nameless := *args
	nameless.ID = nil // Raft looks for no member then
	err := t.Transport.RequestVote(id, to, &nameless, reply)
	return checkAnswer(err, id, reply.RPCHeader)
}

// RequestPreVote implements [raft.WithPreVote].
func (t voting) RequestPreVote(id raft.ServerID, to raft.ServerAddress,
	args *raft.RequestPreVoteRequest, reply *raft.RequestPreVoteResponse) error {
	ask := t.Transport.(raft.WithPreVote).RequestPreVote
	err := ask(id, to, args, reply)
	if err == nil && !reply.Granted && reply.Term <= args.Term {
		asVoter := *args
		asVoter.ID = []byte(id) // the voter knows itself, and finds a member
		*reply = raft.RequestPreVoteResponse{}
		err = ask(id, to, &asVoter, reply)
	}
	return checkAnswer(err, id, reply.RPCHeader)
}

// checkAnswer returns the error of a request for a vote, or that of an answer which is not from the node asked.
func checkAnswer(err error, id raft.ServerID, answer raft.RPCHeader) error {
	if err == nil && raft.ServerID(answer.ID) != id {
		return ErrOtherNode
	}
	return err
}

// Close implements [raft.WithClose].
func (t voting) Close() error {
	if c, ok := t.Transport.(raft.WithClose); ok {
		return c.Close()
	}
	return nil
}
