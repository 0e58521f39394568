package follow

import (
	"net"
	"strconv"
)

// masterPeer is the master as a client of this server. It implements [commands.Peer].
type masterPeer struct{ address string }

// peerOf returns the server that the key names.
func peerOf(k *kept) *masterPeer { return &masterPeer{net.JoinHostPort(k.Host, strconv.Itoa(k.Port))} }

// Network implements [net.Addr].
func (p *masterPeer) Network() string { return "tcp" }

// String implements [net.Addr].
func (p *masterPeer) String() string { return p.address }

// RemoteAddr implements [commands.Peer].
func (p *masterPeer) RemoteAddr() net.Addr { return p }

// LocalAddr implements [commands.Peer].
func (p *masterPeer) LocalAddr() net.Addr { return p }

// Push implements [commands.Peer]. The master subscribes to nothing.
func (p *masterPeer) Push([]byte) {}

// Close implements [commands.Peer]. The next command then ends the session: [server.Follower.Apply].
func (p *masterPeer) Close() {}

// CloseAfterReply implements [commands.Peer].
func (p *masterPeer) CloseAfterReply() {}

// Wake implements [commands.Peer]. A follower looks again by itself.
func (p *masterPeer) Wake() {}

// Pending implements [commands.Peer].
func (p *masterPeer) Pending() int { return 0 }

// Memory implements [commands.Peer].
func (p *masterPeer) Memory() int { return 0 }

// Encrypted implements [commands.Peer].
func (p *masterPeer) Encrypted() bool { return false }

// Gone implements [commands.Peer].
func (p *masterPeer) Gone() bool { return false }
