package peer

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
)

// accept authenticates a connection that another node opened. It asks admit once the other node has proved
// itself, and refuses the connection if admit returns a refusal. On success the caller uses and closes the
// connection that accept returns. On an error accept has closed the connection.
func (s *Security) accept(raw net.Conn, admit func(purpose) Refusal) (conn net.Conn, p purpose, err error) {
	err = within(raw, s.timeout(), func() error {
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
		return nil, tlsError{err}
	}
	return conn, nil
}

// tlsError is why TLS has failed, in one short line. The other end may be a stranger, and choose a part of it:
// the names in its certificate.
type tlsError struct{ error }

// Error implements error.
func (e tlsError) Error() string { return fmt.Sprintf("TLS: %.300q", e.error.Error()) }

// Unwrap returns the error of TLS.
func (e tlsError) Unwrap() error { return e.error }

// acceptPreface reads the preface, and requires a proof if there is a secret.
func (s *Security) acceptPreface(conn net.Conn, admit func(purpose) Refusal) (purpose, error) {
	var preface wired
	if _, err := io.ReadFull(conn, preface[:]); err != nil {
		return purpose{}, fmt.Errorf("the preface: %w", err)
	}
	p, flags, refusal, err := preface.parse()
	if err != nil {
		return p, err
	}
	if refusal == accepted {
		refusal = s.compareFlags(flags)
	}
	switch {
	case refusal != accepted:
		return p, refuse(conn, refusal)
	case len(s.Secret) > 0:
		return p, s.acceptProof(conn, preface, p, admit)
	}
	if refusal = admit(p); refusal != accepted {
		return p, refuse(conn, refusal)
	}
	_, err = conn.Write([]byte{byte(accepted)})
	return p, err
}

// compareFlags requires that both ends have a secret, or neither.
func (s *Security) compareFlags(flags byte) Refusal {
	switch dialerHas := flags&hasSecret != 0; {
	case len(s.Secret) > 0 && !dialerHas:
		return wantsSecret
	case len(s.Secret) == 0 && dialerHas:
		return hasNoSecret
	}
	return accepted
}

// acceptProof requires the proof of the dialer, and then sends its own.
func (s *Security) acceptProof(conn net.Conn, preface wired, p purpose, admit func(purpose) Refusal) error {
	binding, err := bindingOf(conn)
	if err != nil {
		return err
	}
	own := &prover{s.Secret, preface, newNonce(), binding}
	if _, err := conn.Write(append([]byte{byte(accepted)}, own.nonce[:]...)); err != nil {
		return err
	}
	var proof [sha256.Size]byte
	if _, err := io.ReadFull(conn, proof[:]); err != nil {
		return fmt.Errorf("the proof: %w", err)
	}
	if !own.holds(dialerRole, proof[:]) {
		return refuse(conn, wrongProof)
	}
	if refusal := admit(p); refusal != accepted {
		return refuse(conn, refusal)
	}
	_, err = conn.Write(append([]byte{byte(accepted)}, own.proof(acceptorRole)...))
	return err
}

// refusedError is the refusal of this node.
type refusedError struct{ Refusal Refusal }

// Error says why this node refused the other one.
func (r *refusedError) Error() string { return ownSentences[r.Refusal] }

// ownSentences say why this node refuses a connection.
var ownSentences = [afterRefusals]string{
	otherVersion: "it speaks another version of the peer protocol: run the same release on every node",
	unknownKind:  "it asks for an unknown kind of connection: run the same release on every node",
	wantsSecret: "it has no cluster-secret, and this node has a cluster-secret: set the same " +
		"cluster-secret on every node",
	hasNoSecret: "it has a cluster-secret, and this node has no cluster-secret: set the same " +
		"cluster-secret on every node",
	wrongProof: "it does not know the cluster-secret of this node: set the same cluster-secret on every " +
		"node",
	otherCluster: "it belongs to another cluster: see cluster-nodes",
	tooManyOpen:  "too many connections of this kind are open",
	notServed:    "this node does not serve this kind of connection at present",
}

// refuse tells the dialer the refusal.
func refuse(conn net.Conn, refusal Refusal) error {
	_, _ = conn.Write([]byte{byte(refusal)})
	return &refusedError{refusal}
}

// dial authenticates a connection that this node opened to a host. On success the caller uses and closes the
// connection that dial returns. On an error dial has closed the connection. The error is a Refusal if the
// other node refused.
func (s *Security) dial(
	ctx context.Context, raw net.Conn, host string, p purpose,
) (conn net.Conn, err error) {
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	err = within(raw, s.timeout(), func() error {
		if conn, err = s.dialTLS(raw, host); err != nil {
			return err
		}
		return s.dialPreface(conn, p)
	})
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = raw.Close()
		return nil, err
	}
	return conn, nil
}

func (s *Security) dialTLS(raw net.Conn, host string) (net.Conn, error) {
	if s.ClientTLS == nil {
		return raw, nil
	}
	config := s.ClientTLS()
	if err := checkClient(config); err != nil {
		return nil, err
	}
	if config.ServerName == "" {
		config = config.Clone()
		config.ServerName = host
	}
	conn := tls.Client(raw, config)
	if err := conn.Handshake(); err != nil {
		return nil, tlsError{err}
	}
	return conn, nil
}

func (s *Security) dialPreface(conn net.Conn, p purpose) error {
	var flags byte
	if len(s.Secret) > 0 {
		flags = hasSecret
	}
	preface := p.wire(flags, newNonce())
	if _, err := conn.Write(preface[:]); err != nil {
		return err
	}
	if err := readStatus(conn); err != nil || len(s.Secret) == 0 {
		return err
	}
	return s.dialProof(conn, preface)
}

// dialProof proves the secret, and requires the proof of the acceptor.
func (s *Security) dialProof(conn net.Conn, preface wired) error {
	binding, err := bindingOf(conn)
	if err != nil {
		return err
	}
	own := &prover{secret: s.Secret, preface: preface, binding: binding}
	if _, err := io.ReadFull(conn, own.nonce[:]); err != nil {
		return cut(err)
	}
	if _, err := conn.Write(own.proof(dialerRole)); err != nil {
		return err
	}
	if err := readStatus(conn); err != nil {
		return err
	}
	var proof [sha256.Size]byte
	if _, err := io.ReadFull(conn, proof[:]); err != nil {
		return cut(err)
	}
	if !own.holds(acceptorRole, proof[:]) {
		return wrongProof
	}
	return nil
}

// readStatus reads the status of the acceptor. A refusal is an error.
func readStatus(conn net.Conn) error {
	var status [1]byte
	if _, err := io.ReadFull(conn, status[:]); err != nil {
		return cut(err)
	}
	if refusal := Refusal(status[0]); refusal != accepted {
		return refusal
	}
	return nil
}

// cut explains a connection that ends during the handshake.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it closed the connection during the handshake: compare tls-cluster on both "+
			"nodes, and read its log (%w)", err)
	}
	return err
}

// A role is the end of a connection that proves that it knows the secret.
type role string

const (
	dialerRole   role = "cellserver peer dialer"
	acceptorRole role = "cellserver peer acceptor"
)

type nonce = [nonceSize]byte

func newNonce() (n nonce) {
	_, _ = rand.Read(n[:]) // never fails
	return n
}

// A prover makes the proofs of one connection.
type prover struct {
	secret  []byte
	preface wired
	nonce   nonce // of the acceptor
	binding []byte
}

// proof proves that an end of the connection knows the secret.
func (p *prover) proof(end role) []byte {
	mac := hmac.New(sha256.New, p.secret)
	for _, part := range [][]byte{[]byte(end), p.preface[:], p.nonce[:], p.binding} {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// holds reports whether a proof is the right one for an end. It takes the same time for each wrong proof.
func (p *prover) holds(end role, proof []byte) bool { return hmac.Equal(p.proof(end), proof) }

// bindingOf returns a value that only the two ends of a TLS connection have. It is empty without TLS.
func bindingOf(conn net.Conn) ([]byte, error) {
	secured, ok := conn.(*tls.Conn)
	if !ok {
		return nil, nil
	}
	state := secured.ConnectionState()
	return state.ExportKeyingMaterial("EXPORTER-cellserver-peer", nil, sha256.Size)
}
