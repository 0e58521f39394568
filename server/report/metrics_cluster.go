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
	x.one(x.gauge, "cluster_up",
		float64(commands.Bit(v.State == topology.OK)), "1 while the node leads or follows a leader; else 0.")
	x.one(x.gauge, "cluster_leads",
		float64(commands.Bit(cluster.Epoch() != 0)), "1 while the node leads; else 0.")
	x.one(x.gauge, "cluster_term", float64(term(v)), "Term of the leader. Each election raises it.")
	x.one(x.gauge, "cluster_voters", float64(v.Voters()), "Nodes whose votes count.")
	x.gauge("cluster_node_healthy", "1 if this node has heard of a node within cluster-node-timeout; else 0.")
	for i := range v.Nodes {
		n := &v.Nodes[i]
		x.add(float64(commands.Bit(n.Healthy)), "node", n.ID, "address", address(n))
	}
	x.gauge("cluster_applied_index", "Index of the last log entry that a node has applied, as far as this node knows.")
	for i := range v.Nodes {
		if applied := v.Applied(i); applied > 0 {
			x.add(float64(applied), "node", v.Nodes[i].ID)
		}
	}
	x.gauge("cluster_node_feature_level", "Highest feature level that a node knows, as the log says.")
	for i := range v.Nodes {
		if n := &v.Nodes[i]; n.Features > 0 {
			x.add(float64(n.Features), "node", n.ID, "address", address(n))
		}
	}
	m := cluster.Metrics()
	x.clusterCounts(&m)
}

// address returns where clients find a node.
func address(n *topology.Node) string { return fmt.Sprintf("%s:%d", n.Host, n.Port) }

// clusterCounts shows what this node has counted.
func (x *exposition) clusterCounts(m *topology.Metrics) {
	x.one(x.gauge, "cluster_feature_level", float64(m.Level), "Feature level at which the cluster works.")
	x.one(x.gauge, "cluster_commit_index",
		float64(m.Commit), "Index of the last committed log entry that this node knows.")
	x.one(x.gauge, "cluster_lag_entries",
		float64(m.LagEntries), "Log entries that this node has and has not applied.")
	x.one(x.gauge, "cluster_lag_bytes",
		float64(m.LagBytes), "Bytes of changes that wait for a majority of the nodes.")
	x.one(x.counter, "cluster_proposed_entries_total",
		float64(m.Entries), "Log entries that this node has proposed as the leader.")
	x.one(x.counter, "cluster_proposed_bytes_total", float64(m.EntryBytes), "Bytes of these log entries.")
	x.one(x.counter, "cluster_dropped_entries_total",
		float64(m.Dropped), "Log entries that did not count, because their leader was deposed.")
	x.one(x.counter, "cluster_epoch_changes_total",
		float64(m.EpochChanges), "How often this node began or ended to lead.")
	x.one(x.counter, "cluster_undone_effects_total",
		float64(m.Undone), "Changes that were taken back, because no other node had them.")
	x.one(x.counter, "cluster_lease_misses_total",
		float64(m.LeaseMisses), "Replies that waited for a majority, because there was no lease.")
	x.one(x.gauge, "cluster_log_bytes", float64(m.LogBytes), "Bytes of the log on the disk of this node.")
	x.one(x.gauge, "cluster_log_grows",
		float64(commands.Bit(m.LogGrows)), "1 if the last snapshot of the log could not be written; else 0.")
	x.one(x.gauge, "cluster_clock_skew_seconds",
		m.Skew.Seconds(), "Largest difference between the clock of another node and that of this one.")
	x.one(x.counter, "cluster_missed_messages_total",
		float64(m.Missed), "Messages of PUBLISH that did not reach another node.")
	x.family("cluster_commit_duration_seconds",
		"histogram", "Time from the proposal of a log entry until a majority has it.")
	n := int64(0)
	for i, commits := range m.Latency[:len(m.Latency)-1] {
		n += commits
		x.sample("_bucket", float64(n), []string{"le", metricNumber(float64(int64(1)<<i) / 1e6)})
	}
	x.sample("_bucket", float64(m.Commits()), []string{"le", "+Inf"})
	x.sample("_sum", float64(m.Duration)/1e9, nil)
	x.sample("_count", float64(m.Commits()), nil)
}
