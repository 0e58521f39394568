package config

import (
	"testing"

	"cellserver/internal/topology"

	"github.com/stretchr/testify/require"
)

// member returns the configuration of a member of a cluster, with other values by name.
func member(t *testing.T, other map[string]string) *Config {
	t.Helper()
	c := Default()
	values := map[string]string{"cluster-enabled": "yes", "cluster-nodes": "10.0.0.1:6379 10.0.0.2:6379", "appendonly": "no"}
	for name, value := range other {
		values[name] = value
	}
	for name, value := range values {
		d, ok := Lookup(name)
		require.True(t, ok, name)
		require.NoError(t, c.Set(name, d.Split(value)), name)
	}
	return c
}

func TestValidateCluster(t *testing.T) {
	for _, story := range []struct {
		name   string
		values map[string]string
		err    string
	}{
		{"a member", nil, ""},
		{"without cluster-enabled", map[string]string{"cluster-enabled": "no"}, "cluster-nodes needs cluster-enabled yes"},
		{"with the append-only file", map[string]string{"appendonly": "yes"},
			"appendonly yes cannot go with cluster-nodes: the log of the cluster has every change, so remove appendonly"},
		{"on a unix socket alone", map[string]string{"port": "0", "unixsocket": "/s"}, "cluster-nodes needs port or tls-port: clients and other nodes must reach this node"},
		{"a high port", map[string]string{"port": "60000"}, "cluster-port is 60000 + 10000 without a value of its own, which is more than 65535: set cluster-port"},
		{"a high port with a port for nodes", map[string]string{"port": "60000", "cluster-port": "60001"}, ""},
		{"one port twice", map[string]string{"cluster-port": "6379"}, "port and cluster-port are both 6379: choose another port for one of them"},
		{"the proxy on the port of nodes", map[string]string{"proxy-port": "16379"}, "cluster-port and proxy-port are both 16379: choose another port for one of them"},
		{"a port for nodes that the list does not have", map[string]string{"cluster-port": "7100"},
			"cluster-port is 7100, and cluster-nodes names port 16379 for nodes at 10.0.0.2:6379: write 10.0.0.2:6379@7100 on every node"},
		{"a port for nodes that the list has", map[string]string{"cluster-port": "7100", "cluster-nodes": "10.0.0.1:6379@7100 10.0.0.2:6379"}, ""},
		{"a port for nodes behind another one", map[string]string{"cluster-port": "7100", "cluster-announce-bus-port": "16379"}, ""},
		{"a proxy", map[string]string{"proxy-port": "6380"}, ""},
		{"a proxy alone", map[string]string{"proxy-port": "6380", "cluster-nodes": ""}, "proxy-port needs cluster-nodes: a server that is alone has no leader to pass clients on to"},
		{"Sentinel mode on the port of the proxy", map[string]string{"proxy-port": "6380", "sentinel-port": "6380"}, "proxy-port and sentinel-port are both 6380: choose another port for one of them"},
		{"Sentinel mode alone", map[string]string{"sentinel-port": "26379", "cluster-nodes": ""}, "sentinel-port and sentinel-tls-port need cluster-nodes: a server that is alone has one port for all clients"},
		{"Sentinel mode with TLS without TLS", map[string]string{"sentinel-tls-port": "26380"},
			"sentinel-port needs port, and sentinel-tls-port needs tls-port: clients in Sentinel mode are served as the others are"},
		{"TLS without files", map[string]string{"tls-cluster": "yes", "tls-cert-file": "c", "tls-key-file": "k"},
			"tls-cluster needs tls-cert-file, tls-key-file and tls-ca-cert-file: nodes check each other's certificate"},
		{"TLS", map[string]string{"tls-cluster": "yes", "tls-cert-file": "c", "tls-key-file": "k", "tls-ca-cert-file": "a"}, ""},
		{"TLS of a server that is alone", map[string]string{"tls-cluster": "yes", "cluster-nodes": ""}, ""},
	} {
		err := member(t, story.values).Validate()
		if story.err == "" {
			require.NoError(t, err, story.name)
			continue
		}
		require.EqualError(t, err, story.err, story.name)
	}
}

func TestPeerPort(t *testing.T) {
	for _, story := range []struct {
		port, tls, cluster string
		peer, base         int
	}{{"6379", "0", "0", 16379, 6379}, {"0", "7000", "0", 17000, 7000}, {"6379", "7000", "9", 9, 6379}} {
		peer, base := member(t, map[string]string{"port": story.port, "tls-port": story.tls, "cluster-port": story.cluster}).PeerPort()
		require.Equal(t, []int{story.peer, story.base}, []int{peer, base})
	}
}

// A node that has only a port for TLS announces this port to all clients.
func TestAnnouncedPorts(t *testing.T) {
	for _, story := range []struct {
		port, announced, announcedTLS string
		plain, tls                    int
	}{{"6379", "0", "0", 0, 7000}, {"6379", "1", "2", 1, 2}, {"6379", "0", "2", 0, 2}, {"0", "0", "0", 0, 7000}, {"0", "0", "2", 2, 2}, {"0", "1", "2", 1, 2}} {
		c := member(t, map[string]string{"port": story.port, "tls-port": "7000", "cluster-announce-port": story.announced, "cluster-announce-tls-port": story.announcedTLS})
		require.Equal(t, []int{story.plain, story.tls}, []int{c.AnnouncedPort(), c.AnnouncedTLSPort()})
	}
}

func TestClusterValues(t *testing.T) {
	c := Default()
	for name, faults := range map[string]map[string]string{
		"cluster-nodes": {
			"a": "'a' is not host:port or host:port@peerport, such as 10.0.0.1:6379", ":6379": "':6379' is not host:port or host:port@peerport, such as 10.0.0.1:6379",
			"a:0": "'a:0' is not host:port or host:port@peerport, such as 10.0.0.1:6379", "a:65536": "'a:65536' is not host:port or host:port@peerport, such as 10.0.0.1:6379",
			"a:06": "'a:06' is not host:port or host:port@peerport, such as 10.0.0.1:6379", "a:1 a:1": "'a:1' stands twice",
			"a:1 a:2 a:3 a:4 a:5 a:6 a:7 a:8 a:9 a:10": "at most 9 nodes",
		},
		"cluster-groups":       {"0": "argument must be between 1 and 1 inclusive", "2": "argument must be between 1 and 1 inclusive"},
		"cluster-durability":   {"disk": "argument(s) must be one of the following: os, fsync"},
		"cluster-node-timeout": {"99": "argument must be between 100 and 600000 inclusive"},
		"cluster-window":       {"0": "argument must be between 1 and 16 inclusive"},
		"cluster-reads":        {"stale": "argument(s) must be one of the following: lease, quorum"},
		"cluster-zone":         {"a b": "argument must be one word, without spaces"},
		"sentinel-master-name": {"": "argument can't be empty", "a\tb": "argument must be one word, without spaces"},
	} {
		d, ok := Lookup(name)
		require.True(t, ok, name)
		require.Equal(t, name == "sentinel-master-name", d.Mutable, name)
		for value, want := range faults {
			require.EqualError(t, c.Set(name, d.Split(value)), want, "%s %q", name, value)
		}
	}
	require.NoError(t, c.Set("cluster-nodes", []string{"[::1]:6379", "node-2.example:7000"}))
	shown, _ := c.Get("cluster-nodes")
	require.Equal(t, "[::1]:6379 node-2.example:7000", shown)
	secret, _ := Lookup("cluster-secret")
	require.True(t, secret.Sensitive)
}

func TestAnnouncedHost(t *testing.T) {
	require.Equal(t, "", (&Cluster{}).AnnouncedHost())
	require.Equal(t, "10.0.0.1", (&Cluster{AnnounceIP: "10.0.0.1"}).AnnouncedHost())
	require.Equal(t, "node-1", (&Cluster{AnnounceIP: "10.0.0.1", AnnounceHostname: "node-1"}).AnnouncedHost())
}

// TestSentinelPorts: the default is Redis's port of sentinels, unless another directive has it.
func TestSentinelPorts(t *testing.T) {
	tls := map[string]string{"tls-port": "6380", "tls-cert-file": "c", "tls-key-file": "k", "tls-auth-clients": "no"}
	for _, story := range []struct {
		values map[string]string
		want   topology.Ports
	}{
		{nil, topology.Ports{Plain: 26379}},
		{tls, topology.Ports{Plain: 26379, TLS: 26380}},
		{map[string]string{"sentinel-port": "5000"}, topology.Ports{Plain: 5000}},
		{map[string]string{"http-port": "26379"}, topology.Ports{Plain: -1}},
		{map[string]string{"port": "50000", "cluster-nodes": "10.0.0.1:50000@6000", "cluster-port": "6000"}, topology.Ports{Plain: -1}},
		{map[string]string{"cluster-nodes": ""}, topology.Ports{}},
	} {
		require.Equal(t, story.want, member(t, story.values).SentinelPorts(), story.values)
	}
}
