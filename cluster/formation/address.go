package formation

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"

	"cellserver/cluster/identity"
)

const (
	// peerOffset plus the port for clients is the peer port, unless the address names a peer port.
	peerOffset = 10000
	// mostNodes is how many nodes cluster-nodes may name.
	mostNodes = 32
)

// Address is where the others reach a node.
type Address struct {
	Host     string
	Port     int // for clients
	PeerPort int // for nodes
}

// ParseAddress reads host:port or host:port@peerport. Without a peer port it is port+10000.
func ParseAddress(text string) (Address, error) {
	clients, peers, named := strings.Cut(text, "@")
	host, portText, err := net.SplitHostPort(clients)
	port, ok := parsePort(portText)
	if err != nil || host == "" || !ok {
		return Address{}, fmt.Errorf("%q is not host:port or host:port@peerport", text)
	}
	a := Address{strings.ToLower(host), port, port + peerOffset}
	if named {
		if a.PeerPort, ok = parsePort(peers); !ok {
			return Address{}, fmt.Errorf("%q has a wrong peer port: write host:port@peerport", text)
		}
	}
	if a.PeerPort > 65535 {
		return Address{}, fmt.Errorf("%q has no peer port, because %d is above 65535: write %s@peerport", text, a.PeerPort, clients)
	}
	return a, nil
}

func parsePort(text string) (int, bool) {
	port, err := strconv.Atoi(text)
	return port, err == nil && port > 0 && port < 65536
}

// ParseAddresses reads the values of cluster-nodes. The result is sorted.
func ParseAddresses(texts []string) ([]Address, error) {
	if len(texts) > mostNodes {
		return nil, fmt.Errorf("cluster-nodes names %d nodes, more than %d", len(texts), mostNodes)
	}
	var all []Address
	for _, text := range texts {
		a, err := ParseAddress(text)
		if err != nil {
			return nil, fmt.Errorf("cluster-nodes: %w", err)
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Address) int { return strings.Compare(a.String(), b.String()) })
	for i := 1; i < len(all); i++ {
		if all[i].Peer() == all[i-1].Peer() {
			return nil, fmt.Errorf("cluster-nodes names %s twice", all[i])
		}
	}
	return all, nil
}

// String writes the address as cluster-nodes does.
func (a Address) String() string {
	text := net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
	if a.PeerPort != a.Port+peerOffset {
		text += "@" + strconv.Itoa(a.PeerPort)
	}
	return text
}

// Peer returns host:port of the peer port.
func (a Address) Peer() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.PeerPort)) }

// Client returns host:port of the port for clients.
func (a Address) Client() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }

// Strings writes addresses as cluster-nodes does.
func Strings(all []Address) []string {
	texts := make([]string, len(all))
	for i, a := range all {
		texts[i] = a.String()
	}
	return texts
}

// FounderID returns the id of a founder. Every node computes the same id from the same list.
func FounderID(list []Address, own Address) string {
	return identity.FirstID(Strings(list), own.String())
}

// ClusterID returns the id of the cluster that the nodes of a list found. Every founder computes the same one.
func ClusterID(list []Address) string {
	return identity.FirstID(Strings(list), "cluster")
}
