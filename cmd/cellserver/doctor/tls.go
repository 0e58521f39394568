package doctor

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"os"
	"time"
)

// TLS says how to reach a port with TLS. Names of files may be empty.
type TLS struct {
	CA        string // the authorities that the server's certificate must come from; without it those of the system
	Cert, Key string // what the doctor shows to a server that asks for a certificate
	Insecure  bool   // any certificate of the server will do
}

// config reads the files. The certificate of the server must have the host of the address.
func (t *TLS) config(address string) (*tls.Config, error) {
	host, _, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12, ServerName: host, InsecureSkipVerify: t.Insecure}
	if t.CA != "" {
		text, err := os.ReadFile(t.CA)
		if err != nil {
			return nil, fmt.Errorf("--cacert: %w", err)
		}
		cfg.RootCAs = x509.NewCertPool()
		if !cfg.RootCAs.AppendCertsFromPEM(text) {
			return nil, fmt.Errorf("--cacert: %s has no certificate in the form PEM", t.CA)
		}
	}
	if t.Cert != "" || t.Key != "" {
		pair, err := tls.LoadX509KeyPair(t.Cert, t.Key)
		if err != nil {
			return nil, fmt.Errorf("--cert and --key: %w", err)
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg, nil
}

// dial connects, with TLS if over is not nil.
func dial(address string, over *TLS) (net.Conn, error) {
	var cfg *tls.Config
	if over != nil {
		var err error
		if cfg, err = over.config(address); err != nil {
			return nil, err
		}
	}
	tcp, err := net.DialTimeout("tcp", address, Timeout)
	if err != nil {
		return nil, Unreachable(address, err)
	}
	if cfg == nil {
		return tcp, nil
	}
	return greet(address, tcp, cfg, Timeout)
}

// Unreachable says what to do about an error of the connect.
func Unreachable(address string, err error) error {
	if failed, ok := errors.AsType[*net.OpError](err); ok {
		err = failed.Err
	}
	return fmt.Errorf("no server answers at %s (%w): check that cellserver runs there; "+
		"its log has the reason if it does not", address, err)
}

// greet begins TLS on a connection. It closes the connection after an error.
func greet(address string, tcp net.Conn, cfg *tls.Config, timeout time.Duration) (net.Conn, error) {
	err := tcp.SetDeadline(time.Now().Add(timeout))
	nc := tls.Client(tcp, cfg)
	if err == nil {
		err = nc.Handshake()
	}
	if err != nil {
		_ = tcp.Close()
		if isLate(err) {
			return nil, fmt.Errorf("%s does not begin TLS within %s: give the port of tls-port, or leave --tls out", address, timeout)
		}
		return nil, explain(address, err)
	}
	return nc, nil
}

// isLate reports whether an error says that the server did not answer in time.
func isLate(err error) bool {
	late, is := errors.AsType[net.Error](err)
	return is && late.Timeout()
}

// explainTLS says what to do about an error of TLS. It returns nil for another error.
func explainTLS(address string, err error) error {
	if _, plain := errors.AsType[tls.RecordHeaderError](err); plain {
		return fmt.Errorf("%s does not speak TLS: give the port of tls-port, or leave --tls out", address)
	}
	if wrong, is := errors.AsType[*tls.CertificateVerificationError](err); is {
		return fmt.Errorf("%s shows a certificate that is not trusted (%w): give its authority with --cacert",
			address, wrong.Err)
	}
	if failed, is := errors.AsType[*net.OpError](err); is && failed.Op == "remote error" {
		return fmt.Errorf("%s refuses the connection (%w): give a certificate that it trusts with --cert and --key", address, failed.Err)
	}
	return nil
}
