package handshake

import (
	"context"
	"crypto/sha256"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
)

// Dial authenticates a connection that this node opened to a host. On success the caller uses and closes the
// connection that Dial returns. On an error Dial has closed the connection. The error is a Refusal if the
// other node refused.
func (s *Security) Dial(ctx context.Context, raw net.Conn, host string, p Preface) (conn net.Conn, err error) {
	stop := context.AfterFunc(ctx, func() { _ = raw.Close() })
	err = Within(raw, s.timeout(), func() error {
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
		return nil, fmt.Errorf("TLS: %w", err)
	}
	return conn, nil
}

func (s *Security) dialPreface(conn net.Conn, p Preface) error {
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
	if _, err := conn.Write(own.proof(dialer)); err != nil {
		return err
	}
	if err := readStatus(conn); err != nil {
		return err
	}
	var proof [sha256.Size]byte
	if _, err := io.ReadFull(conn, proof[:]); err != nil {
		return cut(err)
	}
	if !own.holds(acceptor, proof[:]) {
		return WrongProof
	}
	return nil
}

// readStatus reads the status of the acceptor. A refusal is an error.
func readStatus(conn net.Conn) error {
	var status [1]byte
	if _, err := io.ReadFull(conn, status[:]); err != nil {
		return cut(err)
	}
	if refusal := Refusal(status[0]); refusal != Accepted {
		return refusal
	}
	return nil
}

// cut explains a connection that ends during the handshake.
func cut(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return fmt.Errorf("it closed the connection during the handshake: compare tls-cluster on both nodes, and read its log (%w)", err)
	}
	return err
}
