package roster

import (
	"cmp"
	"fmt"
	"strings"
)

// Limits above which a person should look.
const (
	longElection = 10_000 // milliseconds without a leader while enough voters answer
	manyBehind   = 10_000 // entries
)

// advice lists what to do, the most urgent first.
func (s *State) advice() []string {
	if s.Cluster == "" {
		return []string{s.notFormed()}
	}
	var lines []string
	for _, part := range []func() []string{s.aboutLeader, s.aboutFaults, s.aboutSilence, s.aboutRemovals, s.aboutLag, s.aboutClocks, s.aboutTimeouts, s.aboutReleases, s.aboutSize, s.aboutAsking} {
		lines = append(lines, part()...)
	}
	if len(lines) == 0 {
		return []string{"nothing: all nodes answer and are up to date"}
	}
	return lines
}

// Whole reports whether there is a leader, and all nodes answer, vote and can write their disks.
func (s *State) Whole() bool {
	sound := s.Cluster != "" && s.Leader != "" && s.Fault == "" && !s.Stuck
	for _, n := range s.Nodes {
		sound = sound && n.Voter && n.Silent == 0 && n.Fault == "" && !n.Leaving
	}
	return sound
}

func (s *State) notFormed() string {
	if s.Waiting != "" {
		return s.Waiting
	}
	return "ask again: this node has just started"
}

func (s *State) aboutLeader() []string {
	_, answering, quorum := s.voters()
	switch {
	case s.Leader != "":
		return nil
	case answering < quorum:
		return []string{fmt.Sprintf("bring back %s: most voters must answer. If most disks are lost, "+
			"the cluster cannot come back by itself",
			count(uint64(quorum-answering), "voter"))}
	case s.Since > longElection:
		return []string{"check that the voters reach each other's peer ports, and have the same " +
			"cluster-secret: they should have elected a leader"}
	}
	return []string{"ask again in a few seconds: the voters elect a leader"}
}

func (s *State) aboutFaults() (lines []string) {
	for _, n := range s.Nodes {
		if n.Fault != "" {
			lines = append(lines, fmt.Sprintf("repair the disk of %s: %s", n.Address, n.Fault))
		}
	}
	if s.Fault != "" && s.node(s.Self) == nil {
		lines = append(lines, "repair the disk of this node: "+s.Fault)
	}
	if s.Stuck {
		lines = append(lines, fmt.Sprintf("make room on the disk of %s: it could not write its last snapshot, so the log of the cluster grows there. The messages of the server say why", s.name(s.Self)))
	}
	return lines
}

func (s *State) aboutSilence() (lines []string) {
	for _, n := range s.Nodes {
		if n.Silent == 0 || n.Leaving {
			continue
		}
		line := fmt.Sprintf("start %s, or repair its network: it has not answered for %s",
			n.Address, span(n.Silent))
		if n.Why != "" {
			line += " (" + n.Why + ")"
		}
		if s.Leader != "" {
			line += ". If it is gone for good, run CLUSTER FORGET " + n.ID
		}
		lines = append(lines, line)
	}
	return lines
}

// aboutRemovals names the nodes that the cluster cannot spare yet.
func (s *State) aboutRemovals() (lines []string) {
	for _, n := range s.Nodes {
		if n.Leaving && s.Leader != "" {
			lines = append(lines, fmt.Sprintf("start the nodes that do not answer: the leader removes %s only when most of the other voters answer", n.Address))
		}
	}
	return lines
}

func (s *State) aboutLag() (lines []string) {
	for i := range s.Nodes {
		n := &s.Nodes[i]
		switch lag := s.entriesBehind(n); {
		case !n.Known || n.Silent > 0 || n.ID == s.Leader:
		case !n.Voter:
			lines = append(lines, fmt.Sprintf("wait for %s: it copies the data, and then it votes",
				n.Address))
		case lag > manyBehind, lag > 0 && n.Stuck:
			// Raft waits for up to 10 s before it asks a silent node again.
			lines = append(lines, fmt.Sprintf("wait for %s: it is %s behind. "+
				"If it is so after 10 seconds, see why it is slow (processor, disk, network)",
				n.Address, count(lag, "entry")))
		}
	}
	return lines
}

func (s *State) aboutClocks() (lines []string) {
	for _, n := range s.Nodes {
		if n.Known && s.MaxSkew > 0 && max(n.Skew, -n.Skew) > s.MaxSkew {
			lines = append(lines, fmt.Sprintf("set the clock of %s (NTP): it differs by %d ms from the "+
				"leader's clock, and %d ms are allowed",
				n.Address, n.Skew, s.MaxSkew))
		}
	}
	return lines
}

// aboutTimeouts names the nodes if they have not all the same cluster-node-timeout.
func (s *State) aboutTimeouts() []string {
	var all []string
	differ, first := false, int64(0)
	for _, n := range s.Nodes {
		if n.Timeout == 0 {
			continue
		}
		first = cmp.Or(first, n.Timeout)
		differ = differ || n.Timeout != first
		all = append(all, fmt.Sprintf("%d on %s", n.Timeout, n.Address))
	}
	if !differ {
		return nil
	}
	return []string{"set the same cluster-node-timeout on every node: it is " + strings.Join(all, ", ")}
}

// aboutReleases asks the reader to finish an upgrade: the cluster works at a level that all its members
// know. A node below the level of the cluster cannot take part.
func (s *State) aboutReleases() (lines []string) {
	var old []string
	for _, n := range s.Nodes {
		switch {
		case n.Feature == 0:
		case n.Feature < s.Feature:
			lines = append(lines, fmt.Sprintf("install the newer release on %s: it knows feature level %d, and the cluster works at level %d", n.Address, n.Feature, s.Feature))
		case n.Feature < s.highest():
			old = append(old, n.Address)
		}
	}
	if len(old) > 0 {
		lines = append(lines, fmt.Sprintf("upgrade %s: the cluster uses new features only when all nodes have them", strings.Join(old, ", ")))
	}
	return lines
}

// highest returns the highest feature level that a node knows.
func (s *State) highest() (level int) {
	for _, n := range s.Nodes {
		level = max(level, n.Feature)
	}
	return level
}

func (s *State) aboutSize() []string {
	voters, _, _ := s.voters()
	if voters == 2 && len(s.Nodes) == 2 {
		return []string{"add a third node: a cluster of two stops if either of them fails"}
	}
	return nil
}

// aboutAsking names the node that knows more.
func (s *State) aboutAsking() []string {
	if s.Leader == "" || s.Leader == s.Self {
		return nil
	}
	return []string{fmt.Sprintf("ask the leader for the state of all nodes: cellserver --cluster-check %s",
		s.name(s.Leader))}
}
