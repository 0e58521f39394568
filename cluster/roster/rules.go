package roster

import (
	"fmt"
	"slices"
	"strings"

	"cellserver/internal/topology"
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

func refuse(why string) (Decision, bool) { return Decision{Action: Refuse, Why: why}, true }

func wait(why string) (Decision, bool) { return Decision{Action: Wait, Why: why}, true }

// sameNodeTwice refuses a list in which two addresses reach the same node.
func (v *view) sameNodeTwice() (Decision, bool) {
	for i, h := range v.heard {
		for _, other := range v.heard[:i] {
			if h.listed && other.listed && h.Run == other.Run {
				return refuse(whyTwice(other.at, h.at))
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
			return refuse(whyOtherCluster(h))
		case first == nil:
			first = &h
		case h.Cluster != first.Cluster:
			return refuse(whyTwoClusters(*first, h))
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
			d.Cluster, d.Why = h.Cluster, whyEnter(h)
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
			return refuse(whyOtherList(v.self.Nodes, h))
		case h.Phase == Founding && h.ID != FounderID(v.self.List, h.at):
			return refuse(whyOtherFounders(v.self.Nodes, h))
		}
	}
	return Decision{}, false
}

// missing waits for the nodes that do not answer.
func (v *view) missing() (Decision, bool) {
	if len(v.silent) > 0 {
		return wait(whyMissing(v.silent))
	}
	return Decision{}, false
}

// lostDisks refuses to found if a node was in a cluster, because that cluster has data.
func (v *view) lostDisks() (Decision, bool) {
	lost := v.others(Returning)
	if v.self.Phase == Returning {
		return refuse(whyAllLost)
	}
	if len(lost) > 0 {
		return wait(whyLost(lost[0]))
	}
	return Decision{}, false
}

// notListed waits if no listed address reaches this node, because then it is not a founder.
func (v *view) notListed() (Decision, bool) {
	if v.foundAt() == "" {
		return wait(whyNotListed(v.self.Nodes))
	}
	return Decision{}, false
}

// unsure waits while a node elects, or has not reached itself. It refuses if two nodes disagree about an
// address.
func (v *view) unsure() (Decision, bool) {
	for _, h := range v.others(Empty, Founding, Member) {
		switch {
		case h.Phase == Member:
			return wait(whyElecting(h))
		case h.Phase == Founding: // its id says at which address it reached itself
		case h.Found == "":
			return wait(whyNotFound(h))
		case h.Found != h.at.String():
			return refuse(whyElsewhere(h))
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
	"may be lost. " +
	"To go on with what one node has, stop all nodes, and run cellserver --cluster-recover with the " +
	"directives of this node. " +
	"Then start it, and the other nodes with empty directories"

func whyTwice(a, b topology.Address) string {
	return fmt.Sprintf("cluster-nodes names one node twice, as %s and as %s: remove one of them on every "+
		"node", a, b)
}

func whyOtherCluster(h heard) string {
	return fmt.Sprintf("%s belongs to the cluster %q, and the directory of this node to another one: "+
		"list the right nodes in cluster-nodes, or empty the directory to join %s", h.at, h.Cluster, h.at)
}

func whyTwoClusters(a, b heard) string {
	return fmt.Sprintf("%s belongs to the cluster %q, and %s to the cluster %q: list the nodes of one "+
		"cluster in cluster-nodes",
		a.at, a.Cluster, b.at, b.Cluster)
}

func whyEnter(h heard) string {
	return fmt.Sprintf("this node joins the cluster %q, which %s belongs to", h.Cluster, h.at)
}

func whyOtherList(own []string, h heard) string {
	return fmt.Sprintf("cluster-nodes is %q here and %q on %s: give every node the same list",
		strings.Join(own, " "),
		strings.Join(h.Nodes, " "), h.at)
}

func whyOtherFounders(own []string, h heard) string {
	return fmt.Sprintf("%s founded a cluster of other addresses than %q: give every node the same "+
		"cluster-nodes, and empty the directory of a node "+
		"that started with a wrong list", h.at, strings.Join(own, " "))
}

func whyMissing(silent []heard) string {
	var names []string
	for _, h := range silent {
		names = append(names, fmt.Sprintf("%s@%d (%s)", h.at.Client(), h.at.PeerPort, h.Error))
	}
	return fmt.Sprintf("waiting for %s: a cluster forms when all of cluster-nodes answer. Start them, and "+
		"let them reach each other", strings.Join(names, ", "))
}

func whyLost(h heard) string {
	return fmt.Sprintf("waiting: %s was in the cluster %q and may not vote: start the other nodes of that "+
		"cluster", h.at, h.Cluster)
}

func whyNotListed(list []string) string {
	return fmt.Sprintf("waiting for a cluster of %q: no address of cluster-nodes reaches this node, so it "+
		"joins and does not found", strings.Join(list, " "))
}

func whyElecting(h heard) string {
	return fmt.Sprintf("waiting for %s: it has voted, and its cluster has no leader yet", h.at)
}

func whyNotFound(h heard) string {
	return fmt.Sprintf("waiting for %s: it has not reached itself at an address of cluster-nodes yet", h.at)
}

func whyElsewhere(h heard) string {
	return fmt.Sprintf("%s reaches a node that calls itself %q: use addresses that mean the same node on "+
		"every node", h.at, h.Found)
}

func whyFound(nodes int) string {
	if nodes == 1 {
		return "this node founds a cluster of one node"
	}
	return fmt.Sprintf("the %d nodes of cluster-nodes found a cluster: all of them are empty", nodes)
}
