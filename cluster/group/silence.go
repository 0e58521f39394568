package group

import (
	"errors"
	"log/slog"
	"time"

	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// Raft examines at random times whether its leader is silent. One to two NodeTimeouts pass between these
// times. So raft may notice the loss of a leader after three NodeTimeouts. A listener makes raft notice it
// soon after the first one.
//
// A node refuses its vote until it has noticed the silence itself. So the followers take turns, and the last
// one that a majority needs is elected. If two of them noticed it at the same time, each would vote for
// itself, and nobody would be elected.
const (
	ticks  = 10 // in a NodeTimeout
	margin = 2  // ticks after the NodeTimeout until the turn of the first follower: one of them may be late
	gap    = 2  // ticks between the turns of two followers
)

// listener makes raft notice that its leader is silent.
type listener struct {
	raft        *raft.Raft
	id          raft.ServerID
	transport   raft.Transport
	nodeTimeout time.Duration
	view        func() *topology.View
	log         *slog.Logger
	silence     silence
}

// listen listens until stop is closed.
func (l *listener) listen(stop <-chan struct{}) {
	for tick := time.Tick(l.nodeTimeout / ticks); ; {
		select {
		case <-tick:
			v := l.view()
			if l.silence.tick(l.raft.LastContact(), turn(v)) && v.Nodes[v.Self].Voter {
				l.makeRaftNotice()
			}
		case <-stop:
			return
		}
	}
}

// makeRaftNotice makes raft notice the silence, if this node does not lead.
func (l *listener) makeRaftNotice() {
	leader, _ := l.raft.LeaderWithID()
	switch state := l.raft.State(); {
	case state == raft.Follower:
		l.examine()
	case state == raft.Candidate && leader != "":
		l.forgetLeader()
	}
}

// silence counts the ticks since the leader was heard. The ticks of a process that is paused do not count.
type silence struct {
	heard time.Time
	ticks int // seen with this value of heard
}

// tick counts a tick. It reports whether raft is to examine the silence now. turn is the number of followers
// before this one.
func (s *silence) tick(heard time.Time, turn int) bool {
	if heard != s.heard {
		*s = silence{heard: heard}
	}
	s.ticks++
	late := s.ticks - (ticks + margin + gap*turn)
	return late >= 0 && late%ticks == 0
}

// turn returns how many voters with a lower id follow the leader.
func turn(v *topology.View) (turn int) {
	leader := v.LeaderOf(0)
	for i := range v.Self {
		if v.Nodes[i].Voter && i != leader {
			turn++
		}
	}
	return turn
}

// examine makes raft examine now whether its leader is silent. Raft does so if its HeartbeatTimeout becomes
// shorter. So it becomes longer first, by as much as raft allows.
func (l *listener) examine() {
	c := l.raft.ReloadableConfig()
	c.HeartbeatTimeout = c.ElectionTimeout
	err := l.raft.ReloadConfig(c)
	c.HeartbeatTimeout = l.nodeTimeout
	if err = errors.Join(err, l.raft.ReloadConfig(c)); err != nil {
		l.log.Error("raft does not notice a silent leader early: an election may take longer", "error", err)
	}
}

// forgetLeader makes raft forget its leader. Two nodes may be asked to lead at the same time. The loser then
// remains a candidate that has a leader. Raft does not forget the leader of a candidate, and refuses its vote
// to all others while it has one. So nobody could be elected after the loss of that leader.
//
// The node sends itself a message of a leader without an address. The message names an entry that no log has.
// So it counts as no contact, and changes nothing else. A request to lead would make raft forget the leader,
// too. But it may arrive after the leader is heard again. Then it would depose a leader that has a lease.
func (l *listener) forgetLeader() {
	self := l.transport.LocalAddr()
	nobody := raft.AppendEntriesRequest{RPCHeader: raft.RPCHeader{ProtocolVersion: raft.ProtocolVersionMax},
		Term: l.raft.CurrentTerm(), PrevLogEntry: 1, PrevLogTerm: 0}
	err := l.transport.AppendEntries(l.id, self, &nobody, &raft.AppendEntriesResponse{})
	if err != nil {
		l.log.Warn("this node votes for nobody until it forgets a lost leader: it cannot reach itself, and tries again",
			"address", self, "error", err)
	}
}
