package config

import "cellserver/internal/config/value"

// The directives of a cluster are fixed at the start: every node reads them once, and announces some of them
// to the others.
var clusterDirectives = group("Cluster", "",
	field("cluster-enabled", value.YesNo, "no", &fields.ClusterEnabled,
		"Answer cluster clients. Without `cluster-nodes` the server is a cluster of one node, which owns every slot.").immutable(),
	field("cluster-nodes", nodeAddresses, "", &fields.Cluster.Nodes,
		"First members of the cluster, by the host and port of their clients. "+
			"If `cluster-port` is set, add it after an `@`. Every node has the same list. "+
			"With it the log of the cluster replaces the append-only file.").immutable(),
	field("cluster-port", value.Int(0, 65535), "0", &fields.Cluster.Port,
		"TCP port for other nodes; 0 is the port of clients plus 10000. "+
			"For another port see `cluster-nodes`.").immutable(),
	field("cluster-groups", value.Int(1, 1), "1", &fields.Cluster.Groups,
		"Number of groups of slots. Each group has a leader of its own.").immutable(),
	field("cluster-durability", value.Enum(DurabilityOS, DurabilityFsync), "os", &fields.Cluster.Durability,
		"When a node confirms an entry of the log: after the write (`os`) or after the fsync (`fsync`). With `os` a power cut of a majority of nodes can lose entries.").immutable(),
	field("cluster-node-timeout", value.Int(100, 600_000), "500", &fields.Cluster.NodeTimeout,
		"Milliseconds without a message of the leader after which the others elect a new one.").immutable(),
	field("cluster-window", value.Int(1, 16), "1", &fields.Cluster.Window,
		"Entries of the log that may wait for a majority at the same time. Use 2 if the nodes are in different zones.").immutable(),
	field("cluster-reads", value.Enum(ReadsLease, ReadsQuorum), "lease", &fields.Cluster.Reads,
		"How a leader proves that it leads before it replies to a read: by its lease, or by asking a majority each time. A lease needs clocks that run at the same rate.").immutable(),
	field("cluster-max-clock-skew", value.Int(1, 3_600_000), "500", &fields.Cluster.MaxClockSkew,
		"Milliseconds between the clocks of two nodes. Beyond it a node logs a warning. A leader whose clock differs that much from most others gives way to another node.").immutable(),
	field("cluster-announce-ip", value.Text, "", &fields.Cluster.AnnounceIP,
		"Address that the node announces to clients and to other nodes; empty is its address in cluster-nodes, or else the one from which it reaches other nodes.").immutable(),
	field("cluster-announce-hostname", value.Hostname, "", &fields.Cluster.AnnounceHostname,
		"Host name that the node announces instead of an address.").immutable(),
	field("cluster-announce-port", value.Int(0, 65535), "0", &fields.Cluster.AnnouncePort,
		"Port that the node announces to clients; 0 is the port on which it listens.").immutable(),
	field("cluster-announce-tls-port", value.Int(0, 65535), "0", &fields.Cluster.AnnounceTLSPort,
		"Port that the node announces to clients that speak TLS; 0 is tls-port.").immutable(),
	field("cluster-announce-bus-port", value.Int(0, 65535), "0", &fields.Cluster.AnnounceBusPort,
		"Port that the node announces to other nodes; 0 is the port on which it listens.").immutable(),
	field("cluster-secret", value.Text, "", &fields.Cluster.Secret,
		"Secret that all nodes share. A node proves that it has the secret before another node accepts its messages.").immutable().sensitive(),
	field("tls-cluster", value.YesNo, "no", &fields.Cluster.TLS,
		"Nodes use TLS between each other, and each node checks the certificate of the other one.").immutable(),
	field("cluster-zone", oneWord(64, true), "", &fields.Cluster.Zone,
		"Name of the zone of the node, for operators.").immutable(),
	field("proxy-port", value.Int(0, 65535), "0", &fields.Cluster.ProxyPort,
		"TCP port for clients that do not know clusters: a follower forwards their connections to the leader; 0 is none.").immutable(),
	field("sentinel-port", value.Int(0, 65535), "0", &fields.Cluster.Sentinel.Plain,
		"TCP port for clients in Sentinel mode, which do not know slots. SENTINEL names this port of each "+
			"node. 0 is `port` plus 20000, or another free port if that one is in use.").immutable(),
	field("sentinel-tls-port", value.Int(0, 65535), "0", &fields.Cluster.Sentinel.TLS,
		"The same for clients that speak TLS; 0 is `tls-port` plus 20000, or another free port.").immutable(),
	field("sentinel-master-name", oneWord(128, false), "mymaster", &fields.Cluster.SentinelMasterName,
		"Name under which SENTINEL shows the leader to clients in Sentinel mode."),
	field("sentinel-auth", value.YesNo, "yes", &fields.Cluster.SentinelAuth,
		"With `no` a client may ask who leads before AUTH: "+
			"`PING`, `SENTINEL`, and `SUBSCRIBE +switch-master`."),
)
