package handshake

import "fmt"

// Refusal is the reason for which a node refuses a connection. It is one byte on the wire.
type Refusal byte

// The refusals.
const (
	Accepted     Refusal = iota // the connection is open
	OtherVersion                // of this protocol
	UnknownKind                 // of a connection
	WantsSecret                 // the acceptor has a secret, and the dialer has no secret
	HasNoSecret                 // the dialer has a secret, and the acceptor has no secret
	WrongProof                  // the secrets differ
	OtherCluster                // the nodes belong to different clusters
	TooMany                     // connections of this kind are open
	NotServed                   // the acceptor does not serve this kind, or this group, at present
	afterRefusals
)

// sentences say what each refusal means, and what to do.
var sentences = [afterRefusals]string{
	Accepted:     "it accepts the connection",
	OtherVersion: fmt.Sprintf("it does not speak version %d of the peer protocol: run the same release on every node", version),
	UnknownKind:  "it does not know this kind of connection: run the same release on every node",
	WantsSecret: "it has a cluster-secret, and this node has no cluster-secret: set the same " +
		"cluster-secret on every node",
	HasNoSecret: "it has no cluster-secret, and this node has a cluster-secret: set the same " +
		"cluster-secret on every node",
	WrongProof:   "its cluster-secret differs: set the same cluster-secret on every node",
	OtherCluster: "it belongs to another cluster: see cluster-nodes",
	TooMany:      "too many connections of this kind are open there",
	NotServed:    "it does not serve this kind of connection at present",
}

// Error says why the other node refused.
func (r Refusal) Error() string {
	if r >= afterRefusals {
		return fmt.Sprintf("it refuses for a reason that this release does not know (%d): run the same release on every node", byte(r))
	}
	return sentences[r]
}
