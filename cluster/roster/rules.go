package roster

import (
	"fmt"
	"slices"
	"strings"
)

// decide applies the rules in their order. The first rule that applies decides.
func (v *view) decide() Decision {
	for _, rule := range []func() (Decision, bool){v.sameNodeTwice, v.severalClusters, v.enter, v.otherLists, v.missing, v.lostDisks, v.notListed, v.unsure} {
		if d, ok := rule(); ok {
			return d
		}
	}
	return v.found()
}

func refuse(why string, args ...any) (Decision, bool) {
	return Decision{Action: Refuse, Why: fmt.Sprintf(why, args...)}, true
}

func wait(why string, args ...any) (Decision, bool) {
	return Decision{Action: Wait, Why: fmt.Sprintf(why, args...)}, true
}

// sameNodeTwice refuses a list in which two addresses reach the same node.
func (v *view) sameNodeTwice() (Decision, bool) {
	for i, h := range v.heard {
		for _, other := range v.heard[:i] {
			if h.listed && other.listed && h.Run == other.Run {
				return refuse("cluster-nodes names one node twice, as %s and as %s: remove one of them on "+
					"every node", other.at, h.at)
			}
		}
	}
	return Decision{}, false
}

// severalClusters refuses to choose between two clusters, or between a cluster and the cluster of its own
// disk.
func (v *view) severalClusters() (Decision, bool) {
	var first *heard
	for _, h := range v.others(Member, Returning) {
		switch {
		case h.Cluster == "":
		case v.self.Cluster != "" && h.Cluster != v.self.Cluster:
			return refuse("%s belongs to the cluster %q, and the directory of this node to another one: "+
				"list the right nodes in cluster-nodes, or empty the directory to join %s",
				h.at, h.Cluster, h.at)
		case first == nil:
			first = &h
		case h.Cluster != first.Cluster:
			return refuse("%s belongs to the cluster %q, and %s to the cluster %q: list the nodes of one "+
				"cluster in cluster-nodes", first.at, first.Cluster, h.at, h.Cluster)
		}
	}
	return Decision{}, false
}

// enter joins a cluster that a node knows.
func (v *view) enter() (Decision, bool) {
	d := Decision{Action: Enter, ID: v.self.Run}
	if v.self.Phase == Returning && v.self.ID != "" {
		d.ID = v.self.ID
	}
	var leaders []string
	for _, h := range v.others(Member) {
		if h.Cluster == "" {
			continue
		}
		if d.Cluster == "" {
			d.Cluster = h.Cluster
			d.Why = fmt.Sprintf("this node joins the cluster %q, which %s belongs to", h.Cluster, h.at)
		}
		if h.Leader != "" {
			leaders = append(leaders, h.Leader)
		}
		d.Via = append(d.Via, h.at.Peer())
	}
	for _, leader := range leaders {
		d.Via = slices.DeleteFunc(d.Via, func(at string) bool { return at == leader })
		d.Via = slices.Insert(d.Via, 0, leader)
	}
	return d, d.Cluster != ""
}

// otherLists refuses to found a cluster while nodes disagree about its founders.
func (v *view) otherLists() (Decision, bool) {
	for _, h := range v.others(Empty, Founding) {
		switch {
		case !h.listed:
		case h.Phase == Empty && !slices.Equal(h.Nodes, v.self.Nodes):
			return refuse("cluster-nodes is %q here and %q on %s: give every node the same list",
				strings.Join(v.self.Nodes, " "), strings.Join(h.Nodes, " "), h.at)
		case h.Phase == Founding && h.ID != FounderID(v.self.List, h.at):
			return refuse("%s founded a cluster of other addresses than %q: give every node the same "+
				"cluster-nodes, and empty the directory of a node that started with a wrong list",
				h.at, strings.Join(v.self.Nodes, " "))
		}
	}
	return Decision{}, false
}

// missing waits for the nodes that do not answer.
func (v *view) missing() (Decision, bool) {
	var names []string
	for _, h := range v.silent {
		names = append(names, fmt.Sprintf("%s@%d (%s)", h.at.Client(), h.at.PeerPort, h.Error))
	}
	if names == nil {
		return Decision{}, false
	}
	return wait("waiting for %s: a cluster forms when all of cluster-nodes answer. Start them, and let "+
		"them reach each other", strings.Join(names, ", "))
}

// lostDisks refuses to found if a node was in a cluster, because that cluster has data.
func (v *view) lostDisks() (Decision, bool) {
	lost := v.others(Returning)
	if v.self.Phase == Returning {
		return refuse(whyAllLost)
	}
	if len(lost) > 0 {
		return wait("waiting: %s was in the cluster %q and may not vote: start the other nodes of that "+
			"cluster", lost[0].at, lost[0].Cluster)
	}
	return Decision{}, false
}

// notListed waits if no listed address reaches this node, because then it is not a founder.
func (v *view) notListed() (Decision, bool) {
	if v.foundAt() == "" {
		return wait("waiting for a cluster of %q: no address of cluster-nodes reaches this node, so it "+
			"joins and does not found", strings.Join(v.self.Nodes, " "))
	}
	return Decision{}, false
}

// unsure waits while a node elects, or has not reached itself. It refuses if two nodes disagree about an
// address.
func (v *view) unsure() (Decision, bool) {
	for _, h := range v.others(Empty, Founding, Member) {
		switch {
		case h.Phase == Member:
			return wait("waiting for %s: it has voted, and its cluster has no leader yet", h.at)
		case h.Phase == Founding: // its id says at which address it reached itself
		case h.Found == "":
			return wait("waiting for %s: it has not reached itself at an address of cluster-nodes yet", h.at)
		case h.Found != h.at.String():
			return refuse("%s reaches a node that calls itself %q: use addresses that mean the same node "+
				"on every node", h.at, h.Found)
		}
	}
	return Decision{}, false
}

// found founds the cluster of the list.
func (v *view) found() Decision {
	d := Decision{Action: Found, Why: whyFound(len(v.self.List))}
	own := v.foundAt()
	for _, a := range v.self.List {
		if a.String() == own {
			d.ID = FounderID(v.self.List, a)
		}
	}
	return d
}

// whyAlone is the reason of a node without a list and without an invitation.
const whyAlone = "this node is in no cluster: list the nodes in cluster-nodes, or run CLUSTER MEET on a " +
	"node of a cluster"

// whyAllLost is the reason of a node that was in a cluster, if no node of that cluster may vote.
const whyAllLost = "no node of the cluster may vote, for example after a power cut of all: the last writes " +
	"may be lost. To go on with what one node has, stop all nodes, and run cellserver --cluster-recover " +
	"with the directives of this node. Then start it, and the other nodes with empty directories"

func whyFound(nodes int) string {
	if nodes == 1 {
		return "this node founds a cluster of one node"
	}
	return fmt.Sprintf("the %d nodes of cluster-nodes found a cluster: all of them are empty", nodes)
}
