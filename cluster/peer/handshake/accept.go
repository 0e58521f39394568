package handshake

import (
	"crypto/sha256"
	"crypto/tls"
	"fmt"
	"io"
	"net"
)

// Accept authenticates a connection that another node opened. It asks admit once the other node has proved
// itself, and refuses the connection if admit returns a refusal. On success the caller uses and closes the
// connection that Accept returns. On an error Accept has closed the connection.
func (s *Security) Accept(raw net.Conn, admit func(Preface) Refusal) (conn net.Conn, p Preface, err error) {
	err = Within(raw, s.timeout(), func() error {
		if conn, err = s.acceptTLS(raw); err != nil {
			return err
		}
		p, err = s.acceptPreface(conn, admit)
		return err
	})
	if err != nil {
		_ = raw.Close()
		return nil, p, err
	}
	return conn, p, nil
}

func (s *Security) acceptTLS(raw net.Conn) (net.Conn, error) {
	if s.ServerTLS == nil {
		return raw, nil
	}
	config := s.ServerTLS()
	if err := checkServer(config); err != nil {
		return nil, err
	}
	conn := tls.Server(raw, config)
	if err := conn.Handshake(); err != nil {
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return conn, nil
}

// acceptPreface reads the preface, and requires a proof if there is a secret.
func (s *Security) acceptPreface(conn net.Conn, admit func(Preface) Refusal) (Preface, error) {
	var preface wired
	if _, err := io.ReadFull(conn, preface[:]); err != nil {
		return Preface{}, fmt.Errorf("the preface: %w", err)
	}
	p, flags, refusal, err := preface.parse()
	if err != nil {
		return p, err
	}
	if refusal == Accepted {
		refusal = s.compareFlags(flags)
	}
	switch {
	case refusal != Accepted:
		return p, refuse(conn, refusal)
	case len(s.Secret) > 0:
		return p, s.acceptProof(conn, preface, p, admit)
	}
	if refusal = admit(p); refusal != Accepted {
		return p, refuse(conn, refusal)
	}
	_, err = conn.Write([]byte{byte(Accepted)})
	return p, err
}

// compareFlags requires that both ends have a secret, or neither.
func (s *Security) compareFlags(flags byte) Refusal {
	switch dialerHas := flags&hasSecret != 0; {
	case len(s.Secret) > 0 && !dialerHas:
		return WantsSecret
	case len(s.Secret) == 0 && dialerHas:
		return HasNoSecret
	}
	return Accepted
}

// acceptProof requires the proof of the dialer, and then sends its own.
func (s *Security) acceptProof(conn net.Conn, preface wired, p Preface, admit func(Preface) Refusal) error {
	binding, err := bindingOf(conn)
	if err != nil {
		return err
	}
	own := &prover{s.Secret, preface, newNonce(), binding}
	if _, err := conn.Write(append([]byte{byte(Accepted)}, own.nonce[:]...)); err != nil {
		return err
	}
	var proof [sha256.Size]byte
	if _, err := io.ReadFull(conn, proof[:]); err != nil {
		return fmt.Errorf("the proof: %w", err)
	}
	if !own.holds(dialer, proof[:]) {
		return refuse(conn, WrongProof)
	}
	if refusal := admit(p); refusal != Accepted {
		return refuse(conn, refusal)
	}
	_, err = conn.Write(append([]byte{byte(Accepted)}, own.proof(acceptor)...))
	return err
}

// A Refused error is the refusal of this node.
type Refused struct{ Refusal Refusal }

// Error says why this node refused the other one.
func (r *Refused) Error() string { return ownSentences[r.Refusal] }

// ownSentences say why this node refuses a connection.
var ownSentences = [afterRefusals]string{
	OtherVersion: "it speaks another version of the peer protocol: run the same release on every node",
	UnknownKind:  "it asks for an unknown kind of connection: run the same release on every node",
	WantsSecret: "it has no cluster-secret, and this node has a cluster-secret: set the same " +
		"cluster-secret on every node",
	HasNoSecret: "it has a cluster-secret, and this node has no cluster-secret: set the same " +
		"cluster-secret on every node",
	WrongProof:   "it does not know the cluster-secret of this node: set the same cluster-secret on every node",
	OtherCluster: "it belongs to another cluster: see cluster-nodes",
	TooMany:      "too many connections of this kind are open",
	NotServed:    "this node does not serve this kind of connection at present",
}

// refuse tells the dialer the refusal.
func refuse(conn net.Conn, refusal Refusal) error {
	_, _ = conn.Write([]byte{byte(refusal)})
	return &Refused{refusal}
}
