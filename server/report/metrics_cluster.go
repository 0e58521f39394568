package report

import (
	"fmt"

	"cellserver/commands"
	"cellserver/internal/topology"
)

// metricsCluster shows the cluster as this node sees it. A server that is alone does not have these
// metrics.
func (r *Report) metricsCluster(x *exposition) {
	cluster := r.Control.Topology()
	if cluster == nil {
		return
	}
	v := cluster.View()
	x.one(x.gauge, "cluster_up", float64(commands.Bit(v.State == topology.OK)), "1 while the node leads or follows a leader; else 0.")
	x.one(x.gauge, "cluster_leads", float64(commands.Bit(cluster.Epoch() != 0)), "1 while the node leads; else 0.")
	x.one(x.gauge, "cluster_term", float64(term(v)), "Term of the leader. Each election raises it.")
	x.one(x.gauge, "cluster_voters", float64(v.Voters()), "Nodes whose votes count.")
	x.gauge("cluster_node_healthy", "1 if this node has heard of a node within cluster-node-timeout; else 0.")
	for i := range v.Nodes {
		n := &v.Nodes[i]
		x.add(float64(commands.Bit(n.Healthy)), "node", n.ID, "address", fmt.Sprintf("%s:%d", n.Host, n.Port))
	}
	x.gauge("cluster_applied_index", "Index of the last log entry that a node has applied, as far as this node knows.")
	for i := range v.Nodes {
		if applied := v.Applied(i); applied > 0 {
			x.add(float64(applied), "node", v.Nodes[i].ID)
		}
	}
}
