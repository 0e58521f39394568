package config

import "cellserver/internal/config/value"

// The directives of a cluster are fixed at the start: every node reads them once, and announces some of them
// to the others.
var clusterDirectives = group("Cluster", "",
	field("cluster-enabled", value.YesNo, "no", func(c *Config) *bool { return &c.ClusterEnabled },
		"Answer cluster clients. Without `cluster-nodes` the server is a cluster of one node, which owns every slot.").immutable(),
	field("cluster-nodes", nodeAddresses, "", func(c *Config) *[]string { return &c.Cluster.Nodes },
		"First members of the cluster, by the host and port of their clients. "+
			"If `cluster-port` is set, add it after an `@`. Every node has the same list. "+
			"With it the log of the cluster replaces the append-only file.").immutable(),
	field("cluster-port", value.Int(0, 65535), "0", func(c *Config) *int { return &c.Cluster.Port },
		"TCP port for other nodes; 0 is the port of clients plus 10000. "+
			"For another port see `cluster-nodes`.").immutable(),
	field("cluster-groups", value.Int(1, 1), "1", func(c *Config) *int { return &c.Cluster.Groups },
		"Number of groups of slots. Each group has a leader of its own.").immutable(),
	field("cluster-durability", value.Enum(DurabilityOS, DurabilityFsync), "os", func(c *Config) *Durability { return &c.Cluster.Durability },
		"When a node confirms an entry of the log: after the write (`os`) or after the fsync (`fsync`). With `os` a power cut of a majority of nodes can lose entries.").immutable(),
	field("cluster-node-timeout", value.Int(100, 600_000), "500", func(c *Config) *int { return &c.Cluster.NodeTimeout },
		"Milliseconds without a message of the leader after which the others elect a new one.").immutable(),
	field("cluster-window", value.Int(1, 16), "1", func(c *Config) *int { return &c.Cluster.Window },
		"Entries of the log that may wait for a majority at the same time. Use 2 if the nodes are in different zones.").immutable(),
	field("cluster-reads", value.Enum(ReadsLease, ReadsQuorum), "lease", func(c *Config) *Reads { return &c.Cluster.Reads },
		"How a leader proves that it leads before it replies to a read: by its lease, or by asking a majority each time. A lease needs clocks that run at the same rate.").immutable(),
	field("cluster-max-clock-skew", value.Int(1, 3_600_000), "500", func(c *Config) *int { return &c.Cluster.MaxClockSkew },
		"Milliseconds between the clocks of two nodes. Beyond it a node logs a warning. A leader whose clock differs that much from most others gives way to another node.").immutable(),
	field("cluster-announce-ip", value.Text, "", func(c *Config) *string { return &c.Cluster.AnnounceIP },
		"Address that the node announces to clients and to other nodes; empty is its address in cluster-nodes, or else the one from which it reaches other nodes.").immutable(),
	field("cluster-announce-hostname", value.Hostname, "", func(c *Config) *string { return &c.Cluster.AnnounceHostname },
		"Host name that the node announces instead of an address.").immutable(),
	field("cluster-announce-port", value.Int(0, 65535), "0", func(c *Config) *int { return &c.Cluster.AnnouncePort },
		"Port that the node announces to clients; 0 is the port on which it listens.").immutable(),
	field("cluster-announce-tls-port", value.Int(0, 65535), "0", func(c *Config) *int { return &c.Cluster.AnnounceTLSPort },
		"Port that the node announces to clients that speak TLS; 0 is tls-port.").immutable(),
	field("cluster-announce-bus-port", value.Int(0, 65535), "0", func(c *Config) *int { return &c.Cluster.AnnounceBusPort },
		"Port that the node announces to other nodes; 0 is the port on which it listens.").immutable(),
	field("cluster-secret", value.Text, "", func(c *Config) *string { return &c.Cluster.Secret },
		"Secret that all nodes share. A node proves that it has the secret before another node accepts its messages.").immutable().sensitive(),
	field("tls-cluster", value.YesNo, "no", func(c *Config) *bool { return &c.Cluster.TLS },
		"Nodes use TLS between each other, and each node checks the certificate of the other one.").immutable(),
	field("cluster-zone", word(64, true), "", func(c *Config) *string { return &c.Cluster.Zone },
		"Name of the zone of the node, for operators.").immutable(),
	field("proxy-port", value.Int(0, 65535), "0", func(c *Config) *int { return &c.Cluster.ProxyPort },
		"TCP port for clients that do not know clusters: a follower forwards their connections to the leader; 0 is none.").immutable(),
	field("sentinel-master-name", word(128, false), "mymaster", func(c *Config) *string { return &c.Cluster.SentinelMasterName },
		"Name under which SENTINEL shows the leader to clients in Sentinel mode."),
)
