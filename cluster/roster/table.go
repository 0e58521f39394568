package roster

import (
	"fmt"
	"slices"
	"strings"
	"text/tabwriter"
)

// table has a line for each node.
func (s *State) table() string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	zones := slices.ContainsFunc(s.Nodes, func(n NodeState) bool { return n.Zone != "" })
	levels := slices.ContainsFunc(s.Nodes, func(n NodeState) bool {
		return n.Feature > 0 && n.Feature != s.Feature
	})
	row := func(node, zone, role, answers, behind, clock, level, id string) {
		cells := []string{node, zone, role, answers, behind, clock, level, id}
		if !levels {
			cells = slices.Delete(cells, 6, 7)
		}
		if !zones {
			cells = slices.Delete(cells, 1, 2)
		}
		_, _ = fmt.Fprintln(w, strings.Join(cells, "\t"))
	}
	row("node", "zone", "role", "answers", "behind", "clock", "level", "id")
	for i := range s.Nodes {
		n := &s.Nodes[i]
		row(n.Address, n.Zone, s.role(n), answers(n), s.behind(n), s.clock(n), level(n), short(n.ID))
	}
	_ = w.Flush()
	return b.String()
}

// level returns the highest feature level that a node knows.
func level(n *NodeState) string {
	if n.Feature == 0 {
		return "?"
	}
	return fmt.Sprint(n.Feature)
}

func (s *State) role(n *NodeState) string {
	switch {
	case n.ID == s.Leader:
		return "leader"
	case n.Leaving:
		return "leaving"
	case !n.Voter:
		return "joining"
	}
	return "follower"
}

func answers(n *NodeState) string {
	switch {
	case n.Silent > 0:
		return "no, for " + span(n.Silent)
	case n.Fault != "":
		return "yes, disk fails"
	}
	return "yes"
}

// entriesBehind returns how many entries a node has not applied yet.
func (s *State) entriesBehind(n *NodeState) uint64 { return s.Commit - min(s.Commit, n.Applied) }

func (s *State) behind(n *NodeState) string {
	switch lag := s.entriesBehind(n); {
	case n.ID == s.Leader:
		return "-"
	case !n.Known:
		return "?"
	case lag == 0:
		return "nothing"
	default:
		return count(lag, "entry")
	}
}

func (s *State) clock(n *NodeState) string {
	switch {
	case n.ID == s.Leader:
		return "-"
	case !n.Known:
		return "?"
	}
	return fmt.Sprintf("%+d ms", n.Skew)
}

// short returns the part of an id by which a person recognizes it.
func short(id string) string { return id[:min(len(id), 8)] }
