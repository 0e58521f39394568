package peer

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
)

// connKind is the purpose of a connection.
type connKind byte

// The kinds of connections.
const (
	kindRaft    connKind = 'R' // messages of Raft
	kindEntries connKind = 'E' // entries of Raft's log
	kindForward connKind = 'F' // the bytes of one client
	kindCall    connKind = 'C' // requests and their answers, and published messages
)

// kinds lists all kinds.
var kinds = [...]connKind{kindRaft, kindEntries, kindForward, kindCall}

// String names the kind in sentences.
func (k connKind) String() string {
	switch k {
	case kindRaft:
		return "Raft"
	case kindEntries:
		return "entries"
	case kindForward:
		return "forward"
	case kindCall:
		return "call"
	}
	return "unknown"
}

// purpose says for which purpose the dialer opens a connection.
type purpose struct {
	Kind    connKind
	Group   uint16   // of Raft and Entries; otherwise 0
	Cluster [20]byte // of the dialer; 0 if it does not know it yet
}

// protocol is the version of this protocol. A node refuses every other one.
const protocol = 1

// The parts of a preface on the wire.
const (
	nonceSize   = 32
	prefaceSize = len(magic) + 5 + 20 + nonceSize
	magic       = "cell"
	hasSecret   = 1 // a flag: the dialer has a secret
)

// wired is a preface on the wire.
type wired [prefaceSize]byte

// errMagic means that the other end does not speak this protocol.
var errMagic = errors.New("the other end is not a node of a cluster: compare tls-cluster on both nodes, " +
	"and the port")

func (p purpose) wire(flags byte, nonce [nonceSize]byte) (w wired) {
	b := append(w[:0], magic...)
	b = append(b, protocol, byte(p.Kind))
	b = binary.LittleEndian.AppendUint16(b, p.Group)
	b = append(b, flags)
	b = append(b, p.Cluster[:]...)
	copy(w[len(b):], nonce[:])
	return w
}

// parse reads a preface from the wire. The refusal says what is wrong with the protocol or the kind.
func (w *wired) parse() (p purpose, flags byte, refusal Refusal, err error) {
	b, ok := bytes.CutPrefix(w[:], []byte(magic))
	if !ok {
		return p, 0, 0, errMagic
	}
	p.Kind, p.Group, flags = connKind(b[1]), binary.LittleEndian.Uint16(b[2:]), b[4]
	copy(p.Cluster[:], b[5:])
	switch {
	case b[0] != protocol:
		refusal = otherVersion
	case !slices.Contains(kinds[:], p.Kind):
		refusal = unknownKind
	}
	return p, flags, refusal, nil
}

// Refusal is the reason for which a node refuses a connection. It is one byte on the wire.
type Refusal byte

// The refusals.
const (
	accepted     Refusal = iota // the connection is open
	otherVersion                // of this protocol
	unknownKind                 // of a connection
	wantsSecret                 // the acceptor has a secret, and the dialer has no secret
	hasNoSecret                 // the dialer has a secret, and the acceptor has no secret
	wrongProof                  // the secrets differ
	otherCluster                // the nodes belong to different clusters
	tooManyOpen                 // connections of this kind are open
	notServed                   // the acceptor does not serve this kind, or this group, at present
	afterRefusals
)

// sentences say what each refusal means, and what to do.
var sentences = [afterRefusals]string{
	accepted: "it accepts the connection",
	otherVersion: fmt.Sprintf("it does not speak version %d of the peer protocol: run the same release on "+
		"every node", protocol),
	unknownKind: "it does not know this kind of connection: run the same release on every node",
	wantsSecret: "it has a cluster-secret, and this node has no cluster-secret: set the same " +
		"cluster-secret on every node",
	hasNoSecret: "it has no cluster-secret, and this node has a cluster-secret: set the same " +
		"cluster-secret on every node",
	wrongProof:   "its cluster-secret differs: set the same cluster-secret on every node",
	otherCluster: "it belongs to another cluster: see cluster-nodes",
	tooManyOpen:  "too many connections of this kind are open there",
	notServed:    "it does not serve this kind of connection at present",
}

// Error says why the other node refused.
func (r Refusal) Error() string {
	if r >= afterRefusals {
		return fmt.Sprintf("it refuses for a reason that this release does not know (%d): run the same "+
			"release on every node", byte(r))
	}
	return sentences[r]
}
