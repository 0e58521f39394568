package topology

import (
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
)

const (
	// PeerOffset plus the port for clients is the peer port, unless the address names a peer port.
	PeerOffset = 10000
	// MostNodes is how many nodes cluster-nodes may name. More voters make every write slower.
	MostNodes = 9
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
	host, port, ok := splitHostPort(clients)
	if !ok {
		const wrong = "'%s' is not host:port or host:port@peerport, such as 10.0.0.1:6379"
		return Address{}, fmt.Errorf(wrong, text)
	}
	a := Address{strings.ToLower(host), port, port + PeerOffset}
	if named {
		if a.PeerPort, ok = parsePort(peers); !ok {
			return Address{}, fmt.Errorf("'%s' has a wrong peer port: write %s@peerport", text, clients)
		}
	}
	if a.PeerPort > 65535 {
		const high = "'%s' has no peer port, because %d is above 65535: write %s@peerport"
		return Address{}, fmt.Errorf(high, text, a.PeerPort, clients)
	}
	return a, nil
}

// IsHostPort reports whether a text is a host and a port, such as 10.0.0.1:6379.
func IsHostPort(text string) bool {
	_, _, ok := splitHostPort(text)
	return ok
}

func splitHostPort(text string) (host string, port int, ok bool) {
	host, portText, err := net.SplitHostPort(text)
	port, ok = parsePort(portText)
	return host, port, ok && err == nil && host != ""
}

func parsePort(text string) (int, bool) {
	port, err := strconv.Atoi(text)
	return port, err == nil && strconv.Itoa(port) == text && port > 0 && port < 65536
}

// ParseAddresses reads the values of cluster-nodes. The result is sorted.
func ParseAddresses(texts []string) ([]Address, error) {
	if len(texts) > MostNodes {
		return nil, fmt.Errorf("at most %d nodes", MostNodes)
	}
	var all []Address
	for _, text := range texts {
		a, err := ParseAddress(text)
		if err != nil {
			return nil, err
		}
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b Address) int { return strings.Compare(a.String(), b.String()) })
	for i := 1; i < len(all); i++ {
		if all[i].Peer() == all[i-1].Peer() {
			return nil, fmt.Errorf("'%s' stands twice", all[i])
		}
	}
	return all, nil
}

// String writes the address as cluster-nodes does.
func (a Address) String() string {
	text := net.JoinHostPort(a.Host, strconv.Itoa(a.Port))
	if a.PeerPort != a.Port+PeerOffset {
		text += "@" + strconv.Itoa(a.PeerPort)
	}
	return text
}

// Peer returns host:port of the peer port.
func (a Address) Peer() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.PeerPort)) }

// Client returns host:port of the port for clients.
func (a Address) Client() string { return net.JoinHostPort(a.Host, strconv.Itoa(a.Port)) }
