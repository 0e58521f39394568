package server_test

import (
	"os"
	"strings"
	"testing"
	"time"

	"cellserver/internal/topology"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestInfoReplication compares the section with the one of Redis 7.0, for a master and for a replica.
func TestInfoReplication(t *testing.T) {
	const backlog = "second_repl_offset:-1\r\nrepl_backlog_active:0\r\nrepl_backlog_size:1048576\r\nrepl_backlog_first_byte_offset:0\r\nrepl_backlog_histlen:0\r\n"
	replID := func(node int) string {
		return "master_failover_state:no-failover\r\nmaster_replid:" + servertest.NodeID(node) + "\r\nmaster_replid2:" + strings.Repeat("0", 40) + "\r\n"
	}
	h, cluster := servertest.NewMember(t, 0, 0)
	cluster.Now.Nodes[2].Voter = false
	require.Equal(t, "# Replication\r\nrole:master\r\nconnected_slaves:2\r\nslave0:ip=10.0.0.2,port=6379,state=online,offset=40,lag=0\r\n"+
		"slave1:ip=10.0.0.3,port=6379,state=send_bulk,offset=40,lag=0\r\n"+replID(0)+"master_repl_offset:42\r\n"+backlog, h.InfoText("replication"))
	cluster.Now.Nodes[1].Healthy = false
	require.Equal(t, "1", h.Info("replication")["connected_slaves"])

	cluster.Now, cluster.Epochs = servertest.View(3, 0, 1), []uint64{0}
	follower := func(link, io, sync string) string {
		return "# Replication\r\nrole:slave\r\nmaster_host:10.0.0.2\r\nmaster_port:6379\r\nmaster_link_status:" + link + "\r\nmaster_last_io_seconds_ago:" + io +
			"\r\nmaster_sync_in_progress:" + sync + "\r\nslave_read_repl_offset:42\r\nslave_repl_offset:42\r\nslave_priority:100\r\nslave_read_only:1\r\n" +
			"replica_announced:1\r\nconnected_slaves:0\r\n" + replID(1) + "master_repl_offset:42\r\n" + backlog
	}
	require.Equal(t, follower("up", "0", "0"), h.InfoText("replication"))
	cluster.Now.State = topology.Down
	require.Equal(t, follower("down", "-1", "0"), h.InfoText("replication"))
	cluster.Now.State = topology.Joining
	require.Equal(t, follower("down", "-1", "1"), h.InfoText("replication"))

	cluster.Now = servertest.View(3, 0, 0) // a leader whose epoch has ended
	require.Equal(t, "slave", h.Info("replication")["role"])
	cluster.Now = servertest.View(3, 0, -1)
	require.Equal(t, "0", h.Info("replication")["master_port"])
}

// counts are what the node of a test has counted.
func counts() topology.Metrics {
	m := topology.Metrics{Commit: 50, LagEntries: 8, LagBytes: 1000, Entries: 11, EntryBytes: 1100, Dropped: 1, EpochChanges: 3, Undone: 4, LeaseMisses: 5,
		LogBytes: 2000, LogGrows: true, Skew: 3 * time.Millisecond, Missed: 6, Level: 4, Knows: 5}
	m.Latency[9], m.Latency[12], m.Duration = 9, 1, 7_000_000
	return m
}

func TestInfoCluster(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	cluster.Counts = counts()
	cluster.Now.Nodes[2].Healthy = false
	require.Equal(t, "# Cluster\r\ncluster_enabled:1\r\ncluster_state:ok\r\ncluster_node_id:"+servertest.NodeID(0)+"\r\ncluster_leads:0\r\ncluster_leader_id:"+
		servertest.NodeID(1)+"\r\ncluster_term:7\r\ncluster_applied_index:42\r\ncluster_nodes:3\r\ncluster_nodes_healthy:2\r\ncluster_voters:3\r\ncluster_feature_level:4\r\ncluster_feature_level_known:5\r\ncluster_commit_index:50\r\ncluster_lag_entries:8\r\ncluster_lag_bytes:1000\r\n"+
		"cluster_commits:10\r\ncluster_commit_usec_p50:512\r\ncluster_commit_usec_p99:4096\r\ncluster_proposed_entries:11\r\ncluster_proposed_bytes:1100\r\n"+
		"cluster_dropped_entries:1\r\ncluster_epoch_changes:3\r\ncluster_undone_effects:4\r\ncluster_lease_misses:5\r\n"+
		"cluster_log_bytes:2000\r\ncluster_log_grows:1\r\ncluster_clock_skew_ms:3\r\ncluster_missed_messages:6\r\n", h.InfoText("cluster"))
	require.Equal(t, servertest.RunID, h.Info("server")["run_id"], "the run has an id of its own")
	for state, word := range map[topology.State]string{topology.OK: "ok", topology.Down: "down", topology.Joining: "joining"} {
		cluster.Now.State = state
		require.Equal(t, word, h.Info("cluster")["cluster_state"])
	}
	cluster.Now, cluster.Epochs = servertest.View(3, 0, 0), []uint64{5}
	require.Equal(t, "1", h.Info("cluster")["cluster_leads"])
	require.Equal(t, "# Cluster\r\ncluster_enabled:1\r\n", servertest.New(t, "--cluster-enabled", "yes").InfoText("cluster"))
}

func TestMetricsOfACluster(t *testing.T) {
	h, cluster := servertest.NewMember(t, 0, 1)
	cluster.Counts = counts()
	cluster.Now.Nodes[2].Healthy, cluster.Now.Nodes[2].Applied = false, 0
	cluster.Now.Nodes[1].Features = 4
	a, b, c := servertest.NodeID(0), servertest.NodeID(1), servertest.NodeID(2)
	got := servertest.Samples(t, h.Server.Metrics())
	for sample, want := range map[string]float64{
		"cluster_feature_level": 4, `cluster_node_feature_level{node="` + b + `",address="10.0.0.2:6379"}`: 4,
		"cluster_up": 1, "cluster_leads": 0, "cluster_term": 7, "cluster_voters": 3,
		"cluster_lag_bytes": 1000, "cluster_undone_effects_total": 4, "cluster_lease_misses_total": 5, "cluster_epoch_changes_total": 3,
		"cluster_log_bytes": 2000, "cluster_log_grows": 1, "cluster_clock_skew_seconds": 0.003, "cluster_missed_messages_total": 6,
		`cluster_commit_duration_seconds_bucket{le="0.000512"}`: 9, `cluster_commit_duration_seconds_bucket{le="+Inf"}`: 10,
		"cluster_commit_duration_seconds_sum": 0.007, "cluster_commit_duration_seconds_count": 10,
		`cluster_node_healthy{node="` + a + `",address="10.0.0.1:6379"}`: 1, `cluster_node_healthy{node="` + c + `",address="10.0.0.3:6379"}`: 0,
		`cluster_applied_index{node="` + a + `"}`: 42, `cluster_applied_index{node="` + b + `"}`: 40,
	} {
		value, found := got["cellserver_"+sample]
		require.True(t, found, sample)
		require.Equal(t, want, value, sample)
	}
	page, err := os.ReadFile("../docs/operating.md")
	require.NoError(t, err)
	for sample := range got {
		name, _, _ := strings.Cut(sample, "{")
		for _, suffix := range []string{"_bucket", "_sum", "_count"} {
			name = strings.TrimSuffix(name, suffix)
		}
		require.Contains(t, string(page), "| `"+name, "docs/operating.md does not name the metric")
	}
	require.NotContains(t, got, `cellserver_cluster_applied_index{node="`+c+`"}`, "node c has reported nothing")
	require.NotContains(t, servertest.New(t, "--cluster-enabled", "yes").Server.Metrics(), "cluster_up")
}
