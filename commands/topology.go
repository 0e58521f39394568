package commands

import "cellserver/internal/topology"

// Topology is the cluster that this server belongs to. It is nil if the server is alone.
type Topology interface {
	// Epoch identifies the time for which this node leads; 0 if it does not lead. A batch reads it
	// before it runs commands on keys, and compares it again while the partitions are locked.
	Epoch() uint64
	// View returns the cluster as this node sees it now. The caller must not change it.
	View() *topology.View
	// Metrics returns what this node has counted since its start.
	Metrics() topology.Metrics
	// Publish sends a published message to the other nodes, at most once. It copies the message and
	// does not wait. With shard, it is for the subscribers of SSUBSCRIBE.
	Publish(shard bool, channel, message []byte)
	// Meet adds the node at an address to the cluster. It waits until the node votes.
	Meet(at topology.Address) error
	// Forget removes a node from the cluster.
	Forget(id string) error
	// Failover makes this node the leader. The present leader first sends the replies that it holds.
	Failover() error
}
