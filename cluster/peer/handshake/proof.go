package handshake

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"crypto/tls"
	"net"
)

// A role is the end of a connection that proves that it knows the secret.
type role string

const (
	dialer   role = "cellserver peer dialer"
	acceptor role = "cellserver peer acceptor"
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

// proof proves that a role knows the secret.
func (p *prover) proof(of role) []byte {
	mac := hmac.New(sha256.New, p.secret)
	for _, part := range [][]byte{[]byte(of), p.preface[:], p.nonce[:], p.binding} {
		mac.Write(part)
	}
	return mac.Sum(nil)
}

// holds reports whether a proof is the right one for a role. It takes the same time for each wrong proof.
func (p *prover) holds(of role, proof []byte) bool { return hmac.Equal(p.proof(of), proof) }

// bindingOf returns a value that only the two ends of a TLS connection have. It is empty without TLS.
func bindingOf(conn net.Conn) ([]byte, error) {
	secured, ok := conn.(*tls.Conn)
	if !ok {
		return nil, nil
	}
	state := secured.ConnectionState()
	return state.ExportKeyingMaterial("EXPORTER-cellserver-peer", nil, sha256.Size)
}
