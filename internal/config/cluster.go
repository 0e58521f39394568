package config

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"cellserver/internal/config/value"
	"cellserver/internal/topology"
)

// Cluster has the values of a cluster of several nodes. They have no effect while Nodes is empty.
type Cluster struct {
	Nodes        []string // host:port of the clients of each first member; empty: the server is alone
	Port         int      // of other nodes; 0: the port of clients + 10000
	Groups       int      // of slots, each with a leader of its own
	Durability   Durability
	NodeTimeout  int // milliseconds
	Window       int // entries of the log that may wait for a majority
	Reads        Reads
	MaxClockSkew int // milliseconds
	Secret       string
	TLS          bool // between nodes
	Zone         string
	ProxyPort    int // 0: none

	AnnounceIP, AnnounceHostname  string // "": the address on which the node listens
	AnnouncePort, AnnounceBusPort int    // 0: the port on which the node listens
	AnnounceTLSPort               int    // 0: the port for TLS, if there is one

	SentinelMasterName string
	Sentinel           topology.Ports // 0: see SentinelPorts
	SentinelAuth       bool           // SENTINEL needs AUTH
}

// Durability says when a node tells the leader that it has an entry of the log.
type Durability string

// The values of cluster-durability.
const (
	DurabilityOS    Durability = "os"    // after the write: the entry survives the end of the process
	DurabilityFsync Durability = "fsync" // after the fsync: the entry survives a power cut
)

// Reads says how a leader proves that it still leads before it replies to a read.
type Reads string

// The values of cluster-reads.
const (
	ReadsLease  Reads = "lease"  // by the time since the majority last confirmed it
	ReadsQuorum Reads = "quorum" // by asking the majority each time
)

// PeerPort returns the port for other nodes, and the port for clients on which its default is based: port,
// or tls-port without it. A server without TCP has the base port 0.
func (c *Config) PeerPort() (peer, base int) {
	base = c.Port
	if base == 0 {
		base = c.TLSPort
	}
	if c.Cluster.Port != 0 {
		return c.Cluster.Port, base
	}
	return base + topology.PeerOffset, base
}

// sentinelOffset plus a port for clients is the port for Sentinel mode: 26379, as Redis's sentinels have.
const sentinelOffset = 20000

// SentinelPorts returns the ports for clients in Sentinel mode. A port is 0 if the server has no such port
// for other clients, and -1 if its default is not free.
func (c *Config) SentinelPorts() topology.Ports {
	port := func(own, base int) int {
		switch {
		case base == 0 || len(c.Cluster.Nodes) == 0:
			return 0
		case own != 0:
			return own
		}
		n := base + sentinelOffset
		taken := slices.ContainsFunc(c.listeners(), func(l listener) bool { return l.port == n })
		if n > 65535 || taken {
			return -1
		}
		return n
	}
	own := c.Cluster.Sentinel
	return topology.Ports{Plain: port(own.Plain, c.Port), TLS: port(own.TLS, c.TLSPort)}
}

// AnnouncedHost returns the name or address that cluster-announce-hostname or cluster-announce-ip sets; ""
// for none.
func (c *Cluster) AnnouncedHost() string {
	if c.AnnounceHostname != "" {
		return c.AnnounceHostname
	}
	return c.AnnounceIP
}

// AnnouncedPort returns the port that the node announces to clients without TLS; 0 for the one on which it
// listens. If the node has only a port for TLS, it announces one port to all clients.
func (c *Config) AnnouncedPort() int {
	if c.Port == 0 {
		return cmp.Or(c.Cluster.AnnouncePort, c.Cluster.AnnounceTLSPort)
	}
	return c.Cluster.AnnouncePort
}

// AnnouncedTLSPort returns the port that the node announces to clients that speak TLS; 0 for none.
func (c *Config) AnnouncedTLSPort() int { return cmp.Or(c.Cluster.AnnounceTLSPort, c.TLSPort) }

// validateCluster checks the directives of a cluster against each other and against the rest.
func (c *Config) validateCluster() error {
	if len(c.Cluster.Nodes) == 0 {
		if c.Cluster.ProxyPort != 0 {
			return errors.New("proxy-port needs cluster-nodes: a server that is alone has no leader to " +
				"pass clients on to")
		}
		if c.Cluster.Sentinel != (topology.Ports{}) {
			return errors.New("sentinel-port and sentinel-tls-port need cluster-nodes: a server that is " +
				"alone has one port for all clients")
		}
		return nil
	}
	peer, base := c.PeerPort()
	switch {
	case !c.ClusterEnabled:
		return errors.New("cluster-nodes needs cluster-enabled yes")
	case c.AppendOnly:
		return errors.New("appendonly yes cannot go with cluster-nodes: the log of the cluster has " +
			"every change, so remove appendonly")
	case base == 0 || len(c.Bind) == 0:
		return errors.New("cluster-nodes needs port or tls-port: clients and other nodes must reach this node")
	case peer > 65535:
		const high = "cluster-port is %d + %d without a value of its own, which is more than 65535: " +
			"set cluster-port"
		return fmt.Errorf(high, base, topology.PeerOffset)
	case c.Cluster.Sentinel.Plain != 0 && c.Port == 0 || c.Cluster.Sentinel.TLS != 0 && c.TLSPort == 0:
		return errors.New("sentinel-port needs port, and sentinel-tls-port needs tls-port: " +
			"clients in Sentinel mode are served as the others are")
	case c.Cluster.TLS && (c.TLSCertFile == "" || c.TLSKeyFile == "" || c.TLSCACertFile == ""):
		return errors.New("tls-cluster needs tls-cert-file, tls-key-file and tls-ca-cert-file: nodes " +
			"check each other's certificate")
	}
	return c.validateOwnAddress(cmp.Or(c.Cluster.AnnouncePort, base), cmp.Or(c.Cluster.AnnounceBusPort, peer))
}

// validateOwnAddress checks that the list has the port at which other nodes reach this node. A node with
// another port for clients need not be in the list.
func (c *Config) validateOwnAddress(port, peer int) error {
	list, err := topology.ParseAddresses(c.Cluster.Nodes)
	if err != nil {
		return err
	}
	var like *topology.Address
	for i := range list {
		switch {
		case list[i].Port != port:
		case list[i].PeerPort == peer:
			return nil
		default:
			like = &list[i]
		}
	}
	if like == nil {
		return nil
	}
	const wrong = "cluster-port is %d, and cluster-nodes names port %d for nodes at %s: " +
		"write %s@%d on every node"
	return fmt.Errorf(wrong, peer, like.PeerPort, like.Client(), like.Client(), peer)
}

// nodeAddresses is the kind of cluster-nodes.
var nodeAddresses = value.Texts(
	fmt.Sprintf("up to %d addresses, host:port or host:port@peerport", topology.MostNodes),
	func(args []string) error {
		_, err := topology.ParseAddresses(args)
		return err
	})

// oneWord accepts a text without spaces of up to most bytes.
func oneWord(most int, mayBeEmpty bool) value.Kind[string] {
	return value.Checked("word", func(s string) string {
		switch {
		case s == "" && !mayBeEmpty:
			return "argument can't be empty"
		case len(s) > most:
			return fmt.Sprintf("argument must have at most %d bytes", most)
		}
		for _, b := range []byte(s) {
			if b <= ' ' || b == 0x7f {
				return "argument must be one word, without spaces"
			}
		}
		return ""
	})
}
