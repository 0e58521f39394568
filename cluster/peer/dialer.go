package peer

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"

	"cellserver/cluster/peer/handshake"
)

// Dialer opens connections to other nodes. Its fields do not change after its first use.
type Dialer struct {
	Security *handshake.Security
	Cluster  func() string // 40 hexadecimal digits; "" if this node does not know its cluster yet. Nil: it never knows.
	Limits   Limits
	// Connect opens a connection to host:port. Nil: TCP.
	Connect func(ctx context.Context, addr string) (net.Conn, error)
}

// Dial opens an authenticated connection to the peer port of a node. The caller closes it. The error names
// the address.
func (d *Dialer) Dial(ctx context.Context, addr string, kind handshake.Kind, group uint16) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	raw, err := d.connect(ctx, addr)
	if err != nil {
		return nil, err
	}
	conn, err := d.Security.Dial(ctx, raw, host, handshake.Preface{Kind: kind, Group: group, Cluster: d.cluster()})
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", addr, err)
	}
	return conn, nil
}

func (d *Dialer) connect(ctx context.Context, addr string) (net.Conn, error) {
	if d.Connect != nil {
		return d.Connect(ctx, addr)
	}
	tcp := net.Dialer{Timeout: d.Limits.orDefault().Step}
	return tcp.DialContext(ctx, "tcp", addr)
}

// cluster returns the id of the own cluster as bytes; 0 if it is not known.
func (d *Dialer) cluster() (id [20]byte) {
	if d.Cluster != nil {
		_, _ = hex.Decode(id[:], []byte(d.Cluster()))
	}
	return id
}
