package group

import (
	"cmp"
	"errors"
	"slices"
	"time"

	"cellserver/cluster/roster"
	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// stall is what a leader knows about a log that does not move, because the disk does not answer. Raft's
// heartbeats go on meanwhile, so the other nodes would follow such a leader for ever. Raft's own goroutine
// waits for the disk, so raft cannot hand the lead over. So the node asks another one to begin an election.
type stall struct {
	moved uint64 // indexes of the last entry and of the applied one, added: it grows while the log moves
	since int64  // monotonic time since which an entry waits, or at which the last node was asked
	asked int    // how many nodes were asked; 0: the log moves
}

// slowest is how many bytes a disk must write in a second. A large entry has more time.
const slowest = 16 << 20

// due reports whether a node is to be asked now. It is not while the log moves: a node that has just started
// may apply old entries for long. waits says whether an entry of some bytes waits. The next node is asked a
// NodeTimeout later.
func (s *stall) due(moved uint64, now int64, waits bool, bytes int, nodeTimeout time.Duration) bool {
	if !waits || moved != s.moved {
		*s = stall{moved: moved, since: now}
		return false
	}
	if now-s.since < int64(nodeTimeout+time.Duration(bytes)*time.Second/slowest) {
		return false
	}
	s.since = now
	s.asked++
	return true
}

// askToLead makes another voter begin an election at once, as raft does when it hands the lead over. The
// nodes with the newest logs are asked first.
func (g *Group) askToLead(try int) {
	err := errSilent
	all := g.hear(g.View(), "", g.o.NodeTimeout/10, false)
	slices.SortStableFunc(all, func(a, b topology.Node) int { return cmp.Compare(b.Applied, a.Applied) })
	if len(all) > 0 {
		to, self := all[(try-1)%len(all)], g.o.Self
		request := &raft.TimeoutNowRequest{RPCHeader: raft.RPCHeader{
			ProtocolVersion: raft.ProtocolVersionMax, ID: []byte(self.ID),
			Addr: g.o.Transport.EncodePeer(raft.ServerID(self.ID), roster.RaftAddress(self)),
		}}
		var answer raft.TimeoutNowResponse
		err = g.o.Transport.TimeoutNow(raft.ServerID(to.ID), roster.RaftAddress(to), request, &answer)
	}
	if err != nil {
		g.log.Warn("no other node takes the lead: the next one is asked", "reason", err)
	}
}

var errSilent = errors.New("no other voter answers")

// hear asks the other voters what they have applied. It returns those that answer in time. With `replaced`
// these include voters in whose place another node confirms entries. It does not ask the node with the id
// `except`.
func (g *Group) hear(
	v *topology.View, except string, patience time.Duration, replaced bool,
) (all []topology.Node) {
	answers, asked, commit := make(chan topology.Node, len(v.Nodes)), 0, g.raft.Load().CommitIndex()
	for i, k := range v.Nodes {
		if i == v.Self || !k.Voter || k.ID == except {
			continue
		}
		asked++
		go func() {
			var err error
			k.Applied, err = g.o.Applied(k)
			k.Healthy = err == nil || replaced && errors.Is(err, ErrOtherNode) && k.Applied >= commit
			answers <- k
		}()
	}
	for late := time.After(patience); asked > 0; asked-- {
		select {
		case k := <-answers:
			if k.Healthy {
				all = append(all, k)
			}
		case <-late:
			return all
		}
	}
	return all
}

// warned is what the log has said already, and what it will say.
type warned struct {
	advised  string // the nodes in the last log line of adviseUpgrade; only adviseUpgrade uses it
	stall    stall
	unloaded error // why the last snapshot could not be loaded; nil if it was
	skewSeen int64 // monotonic time of the last warning about the own clock; only CheckClocks uses it
}
