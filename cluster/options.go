package cluster

import (
	"context"
	"log/slog"
	"net"
	"time"

	"cellserver/cluster/group"
	"cellserver/cluster/peer"
	"cellserver/internal/topology"
	"cellserver/store"
)

// Options are the parts of a Member that the edge provides.
type Options struct {
	List     []topology.Address // cluster-nodes
	Announce topology.Address   // what clients and nodes are to use; a zero field is not set
	TLSPort  int                // that clients with TLS are to use; 0 for none
	Sentinel topology.Ports     // that clients in Sentinel mode are to use
	Fallback topology.Address   // own address if none of List reaches this node; without Host: found out
	Zone     string
	Run      string // a random number of 40 hexadecimal digits
	Release  string // for people

	Disk     DiskOptions
	Store    *store.Store
	Clock    group.Clock
	Wall     func() int64 // the machine's clock in Unix nanoseconds, which the nodes compare
	Log      *slog.Logger
	Security *peer.Security
	Limits   Limits
	// Connect opens a connection to host:port. Nil: TCP.
	Connect func(ctx context.Context, addr string) (net.Conn, error)
	group.Timing
	Reads  group.Reads
	Growth Growth

	Edge
}

// Limits are the bounds of the port for other nodes.
type Limits = peer.Limits

// Edge is what the rest of the server does for a member. The functions must not wait for the member.
type Edge struct {
	// Deliver gives a message to the subscribers of this node.
	Deliver func(shard bool, channel, message []byte)
	// Scripts returns the scripts that all nodes are to know. KeepScript keeps one of another node.
	Scripts     peer.Scripts
	KeepScript  func(text []byte)
	Changed     func(old, now *topology.View)           // follows a change of the cluster; one call at a time
	Replaced    func()                                  // any key may have changed
	Epoch       func(begun bool)                        // see [group.Options]
	StopScripts func(before int64)                      // see [group.Options]
	EndScripts  func(after time.Duration) (done func()) // see [group.Options]
	Own         func()                                  // see [group.Options]
	Failed      func(reason error)                      // the node takes no part any more; nil: it takes part again
}

// Growth says by how much the log grows before a snapshot replaces its beginning.
type Growth func() (percent, least int64)
