package roster

import (
	"fmt"
	"strings"

	"cellserver/internal/topology"
)

// whyAlone is the reason of a node without a list and without an invitation.
const whyAlone = "this node is in no cluster: list the nodes in cluster-nodes, or run CLUSTER MEET on a node of a cluster"

// whyAllLost is the reason of a node that was in a cluster, if no node of that cluster may vote.
const whyAllLost = "no node of the cluster may vote, for example after a power cut of all: the last writes may be lost. " +
	"To go on with what one node has, stop all nodes, and run cellserver --cluster-recover with the " +
	"directives of this node. " +
	"Then start it, and the other nodes with empty directories"

func whyTwice(a, b topology.Address) string {
	return fmt.Sprintf("cluster-nodes names one node twice, as %s and as %s: remove one of them on every node", a, b)
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
	return fmt.Sprintf("waiting for %s: a cluster forms when all of cluster-nodes answer. Start them, and let them reach each other", strings.Join(names, ", "))
}

func whyLost(h heard) string {
	return fmt.Sprintf("waiting: %s was in the cluster %q and may not vote: start the other nodes of that cluster", h.at, h.Cluster)
}

func whyNotListed(list []string) string {
	return fmt.Sprintf("waiting for a cluster of %q: no address of cluster-nodes reaches this node, so it joins and does not found", strings.Join(list, " "))
}

func whyElecting(h heard) string {
	return fmt.Sprintf("waiting for %s: it has voted, and its cluster has no leader yet", h.at)
}

func whyNotFound(h heard) string {
	return fmt.Sprintf("waiting for %s: it has not reached itself at an address of cluster-nodes yet", h.at)
}

func whyElsewhere(h heard) string {
	return fmt.Sprintf("%s reaches a node that calls itself %q: use addresses that mean the same node on every node", h.at, h.Found)
}

func whyFound(nodes int) string {
	if nodes == 1 {
		return "this node founds a cluster of one node"
	}
	return fmt.Sprintf("the %d nodes of cluster-nodes found a cluster: all of them are empty", nodes)
}
