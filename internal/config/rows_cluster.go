package config

import "cellserver/internal/config/value"

// The directives of a cluster are fixed at the start: every node reads them once, and announces some of them
// to the others.
var clusterDirectives = group("Cluster",
	field("cluster-enabled", value.YesNo, "no", &fields.ClusterEnabled).immutable(),
	field("cluster-nodes", nodeAddresses, "", &fields.Cluster.Nodes).immutable(),
	field("cluster-port", value.Int(0, 65535), "0", &fields.Cluster.Port).immutable(),
	field("cluster-groups", value.Int(1, 1), "1", &fields.Cluster.Groups).immutable(),
	field("cluster-durability", value.Enum(DurabilityOS, DurabilityFsync), "os",
		&fields.Cluster.Durability).immutable(),
	field("cluster-node-timeout", value.Int(100, 600_000), "500", &fields.Cluster.NodeTimeout).immutable(),
	field("cluster-window", value.Int(1, 16), "1", &fields.Cluster.Window).immutable(),
	field("cluster-reads", value.Enum(ReadsLease, ReadsQuorum), "lease", &fields.Cluster.Reads).immutable(),
	field("cluster-max-clock-skew", value.Int(1, 3_600_000), "500", &fields.Cluster.MaxClockSkew).immutable(),
	field("cluster-announce-ip", value.Text, "", &fields.Cluster.AnnounceIP).immutable(),
	field("cluster-announce-hostname", value.Hostname, "", &fields.Cluster.AnnounceHostname).immutable(),
	field("cluster-announce-port", value.Int(0, 65535), "0", &fields.Cluster.AnnouncePort).immutable(),
	field("cluster-announce-tls-port", value.Int(0, 65535), "0", &fields.Cluster.AnnounceTLSPort).immutable(),
	field("cluster-announce-bus-port", value.Int(0, 65535), "0", &fields.Cluster.AnnounceBusPort).immutable(),
	field("cluster-secret", value.Text, "", &fields.Cluster.Secret).immutable().sensitive(),
	field("tls-cluster", value.YesNo, "no", &fields.Cluster.TLS).immutable(),
	field("cluster-zone", oneWord(64, true), "", &fields.Cluster.Zone).immutable(),
	field("proxy-port", value.Int(0, 65535), "0", &fields.Cluster.ProxyPort).immutable(),
	field("sentinel-port", value.Int(0, 65535), "0", &fields.Cluster.Sentinel.Plain).immutable(),
	field("sentinel-tls-port", value.Int(0, 65535), "0", &fields.Cluster.Sentinel.TLS).immutable(),
	field("sentinel-master-name", oneWord(128, false), "mymaster", &fields.Cluster.SentinelMasterName),
	field("sentinel-auth", value.YesNo, "yes", &fields.Cluster.SentinelAuth),
)
