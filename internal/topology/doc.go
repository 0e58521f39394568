// Package topology describes a cluster as one of its nodes sees it at one moment. It holds values
// only: the cluster makes them, and the commands read them.
//
//	topology.go  View, Node, Door, Group, State
//	address.go   Address: an element of cluster-nodes
//	metrics.go   Metrics: what a node counts
//
// Invariant: nobody changes a View after it is made. The package takes no locks.
package topology
