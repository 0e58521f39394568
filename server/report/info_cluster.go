package report

import (
	"fmt"
	"strings"

	"cellserver/commands"
	"cellserver/internal/topology"
)

// infoReplication shows the leader of a cluster as a master, and the other nodes as its replicas. A
// server that is alone is a master without replicas. Offsets are indexes in the log of the cluster.
func (r *Report) infoReplication(t *text, _ int64) {
	cluster, replID, offset := r.Control.Topology(), r.Control.RunID(), uint64(0)
	s, follows := r.follows()
	switch {
	case follows && r.hasLink():
		replID, offset = s.Position.ID, uint64(s.Position.Offset)
		r.replicaFields(t, &s)
	case cluster == nil:
		t.add("role", "master")
		t.zeros("connected_slaves")
	default:
		v := cluster.View()
		offset = v.Applied(v.Self)
		if leader := v.LeaderOf(0); leader >= 0 {
			replID = v.Nodes[leader].ID
		}
		if cluster.Epoch() != 0 {
			leaderFields(t, v)
		} else {
			followerFields(t, v)
			if follows {
				clusterFollows(t, &s)
			}
		}
	}
	t.add("master_failover_state", "no-failover")
	t.add("master_replid", replID)
	t.add("master_replid2", strings.Repeat("0", 40))
	t.add("master_repl_offset", offset)
	t.add("second_repl_offset", -1)
	t.zeros("repl_backlog_active")
	t.add("repl_backlog_size", 1<<20)
	t.zeros("repl_backlog_first_byte_offset", "repl_backlog_histlen")
}

// leaderFields lists the replicas that reply to the leader. A replica that does not vote yet has no complete
// keyspace.
func leaderFields(t *text, v *topology.View) {
	replicas := v.Replicas()
	t.add("role", "master")
	t.add("connected_slaves", len(replicas))
	for i, r := range replicas {
		n, state := &v.Nodes[r], "online"
		if !n.Voter {
			state = "send_bulk"
		}
		t.add(fmt.Sprintf("slave%d", i), fmt.Sprintf("ip=%s,port=%d,state=%s,offset=%d,lag=0",
			n.Host, n.ClientPort(t.door), state, v.Applied(r)))
	}
}

func followerFields(t *text, v *topology.View) {
	t.add("role", "slave")
	host, port := "", 0
	if leader := v.LeaderOf(0); leader >= 0 {
		host, port = v.Nodes[leader].Host, v.Nodes[leader].ClientPort(t.door)
	}
	link, lastIO := "down", -1
	if v.Follows() {
		link, lastIO = "up", 0
	}
	t.add("master_host", host)
	t.add("master_port", port)
	t.add("master_link_status", link)
	t.add("master_last_io_seconds_ago", lastIO)
	t.add("master_sync_in_progress", commands.Bit(v.State == topology.Joining))
	t.add("slave_read_repl_offset", v.Applied(v.Self))
	t.add("slave_repl_offset", v.Applied(v.Self))
	t.add("slave_priority", 100)
	t.add("slave_read_only", 1)
	t.add("replica_announced", 1)
	t.zeros("connected_slaves")
}

// infoCluster shows the cluster as this node sees it.
func (r *Report) infoCluster(t *text, _ int64) {
	t.add("cluster_enabled", commands.Bit(r.Config().ClusterEnabled && !t.door.Whole))
	cluster := r.Control.Topology()
	if cluster == nil {
		return
	}
	v, leader := cluster.View(), ""
	if i := v.LeaderOf(0); i >= 0 {
		leader = v.Nodes[i].ID
	}
	t.add("cluster_state", stateName(v))
	t.add("cluster_node_id", v.Nodes[v.Self].ID)
	t.add("cluster_leads", commands.Bit(cluster.Epoch() != 0))
	t.add("cluster_leader_id", leader)
	t.add("cluster_term", term(v))
	t.add("cluster_applied_index", v.Applied(v.Self))
	t.add("cluster_nodes", len(v.Nodes))
	t.add("cluster_nodes_healthy", v.Healthy())
	t.add("cluster_voters", v.Voters())
	m := cluster.Metrics()
	t.add("cluster_feature_level", m.Level)
	t.add("cluster_feature_level_known", m.Knows)
	t.add("cluster_commit_index", m.Commit)
	t.add("cluster_lag_entries", m.LagEntries)
	t.add("cluster_lag_bytes", m.LagBytes)
	t.add("cluster_commits", m.Commits())
	t.add("cluster_commit_usec_p50", m.Within(0.5))
	t.add("cluster_commit_usec_p99", m.Within(0.99))
	t.add("cluster_proposed_entries", m.Entries)
	t.add("cluster_proposed_bytes", m.EntryBytes)
	t.add("cluster_dropped_entries", m.Dropped)
	t.add("cluster_epoch_changes", m.EpochChanges)
	t.add("cluster_undone_effects", m.Undone)
	t.add("cluster_lease_misses", m.LeaseMisses)
	t.add("cluster_log_bytes", m.LogBytes)
	t.add("cluster_log_grows", commands.Bit(m.LogGrows))
	t.add("cluster_clock_skew_ms", m.Skew.Milliseconds())
	t.add("cluster_missed_messages", m.Missed)
}

// term returns the term of the first group's leader.
func term(v *topology.View) uint64 {
	if len(v.Groups) == 0 {
		return 0
	}
	return v.Groups[0].Term
}
