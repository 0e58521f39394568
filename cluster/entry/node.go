package entry

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Node is the body of an entry that announces a node. A later entry with the same ID replaces it.
type Node struct {
	ID       string `json:"id"`        // 40 hexadecimal digits
	Host     string `json:"host"`      // announced to clients
	Port     uint16 `json:"port"`      // of clients
	PeerPort uint16 `json:"peer_port"` // of other nodes
	Zone     string `json:"zone,omitempty"`
	Features uint16 `json:"features"` // the highest feature level that the node knows
}

const (
	idSize      = 40
	maxName     = 255 // of a host and of a zone, in bytes
	maxNodeSize = 4096
)

// AppendNode appends the body of an entry that announces a node.
func AppendNode(dst []byte, n Node) ([]byte, error) {
	if err := n.check(); err != nil {
		return dst, err
	}
	text, err := json.Marshal(n)
	if err == nil && len(text) > maxNodeSize {
		err = fmt.Errorf("the node has %d bytes, more than %d: shorten its host or its zone",
			len(text), maxNodeSize)
	}
	if err != nil {
		return dst, err
	}
	return append(dst, text...), nil
}

// ParseNode decodes the body of an entry that announces a node.
func ParseNode(body []byte) (n Node, err error) {
	if len(body) > maxNodeSize {
		return Node{}, fmt.Errorf("the node has %d bytes, more than %d", len(body), maxNodeSize)
	}
	in := json.NewDecoder(bytes.NewReader(body))
	in.DisallowUnknownFields()
	if err := in.Decode(&n); err != nil {
		return Node{}, fmt.Errorf("the node cannot be read: %w", err)
	}
	if in.More() {
		return Node{}, fmt.Errorf("the node has bytes after its end")
	}
	return n, n.check()
}

// check returns an error that names the first field that is wrong.
func (n *Node) check() error {
	switch {
	case !IsID(n.ID):
		return fmt.Errorf("the id %.60q of the node is not %d hexadecimal digits in lower case", n.ID, idSize)
	case n.Host == "" || len(n.Host) > maxName:
		return fmt.Errorf("the host of node %s has %d bytes, and it must have 1 to %d",
			n.ID, len(n.Host), maxName)
	case len(n.Zone) > maxName:
		return fmt.Errorf("the zone of node %s has %d bytes, more than %d", n.ID, len(n.Zone), maxName)
	case n.Port == 0 || n.PeerPort == 0:
		return fmt.Errorf("node %s has port %d and peer port %d, and both must be 1 to 65535",
			n.ID, n.Port, n.PeerPort)
	}
	return nil
}

// AppendGone appends the body of an entry that marks a node as removed.
func AppendGone(dst []byte, id string) ([]byte, error) {
	if !IsID(id) {
		return dst, fmt.Errorf("the id %.60q of the node is not %d hexadecimal digits in lower case",
			id, idSize)
	}
	return append(dst, id...), nil
}

// ParseGone decodes the body of an entry that marks a node as removed.
func ParseGone(body []byte) (id string, err error) {
	if id = string(body[:min(len(body), idSize+1)]); !IsID(id) {
		return "", fmt.Errorf("the id %.60q of the node is not %d hexadecimal digits in lower case",
			id, idSize)
	}
	return id, nil
}

// IsID reports whether a text can be the id of a node or of a cluster.
func IsID(id string) bool {
	for _, c := range []byte(id) {
		if (c < '0' || c > '9') && (c < 'a' || c > 'f') {
			return false
		}
	}
	return len(id) == idSize
}
