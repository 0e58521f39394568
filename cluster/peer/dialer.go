package peer

import (
	"context"
	"encoding/hex"
	"fmt"
	"net"
	"time"
)

// Dialer opens connections to other nodes. Its fields do not change after its first use.
type Dialer struct {
	Security *Security
	Cluster  func() string // 40 hexadecimal digits; "" if this node does not know its cluster yet. Nil: it never knows.
	Limits   Limits
	// Connect opens a connection to host:port. Nil: TCP.
	Connect func(ctx context.Context, addr string) (net.Conn, error)
}

// Dial opens an authenticated connection to the peer port of a node. The caller closes it. The error names
// the address.
func (d *Dialer) Dial(ctx context.Context, addr string, kind connKind, group uint16) (net.Conn, error) {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return nil, err
	}
	raw, err := d.connect(ctx, addr)
	if err != nil {
		return nil, err
	}
	conn, err := d.Security.dial(ctx, raw, host, purpose{Kind: kind, Group: group, Cluster: d.cluster()})
	if err != nil {
		return nil, fmt.Errorf("node %s: %w", addr, err)
	}
	return conn, nil
}

// LocalHost returns the local address of a connection to a node; "" if the node cannot be reached.
func (d *Dialer) LocalHost(ctx context.Context, addr string) string {
	conn, err := d.Dial(ctx, addr, kindCall, 0)
	if err != nil {
		return ""
	}
	defer func() { _ = conn.Close() }()
	host, _, _ := net.SplitHostPort(conn.LocalAddr().String())
	return host
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

// sleep waits for some time, or until the context ends.
func sleep(ctx context.Context, d time.Duration) {
	select {
	case <-time.After(d):
	case <-ctx.Done():
	}
}
