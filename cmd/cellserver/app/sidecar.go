package app

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net"
	"os"
	"time"

	"cellserver/cmd/cellserver/listen"
	"cellserver/internal/config"
	"cellserver/router"
	"cellserver/server"
	"cellserver/server/report"
	"cellserver/sidecar"
	"cellserver/sidecar/account"
)

// newSidecar makes the sidecar of a configuration with upstream. It is nil without one.
func (a *App) newSidecar(cfg *config.Config) (*sidecar.Sidecar, error) {
	if len(cfg.Upstream.Nodes) == 0 {
		return nil, nil
	}
	if _, err := clientTLS(cfg, cfg.Upstream.TLS); err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	hub := router.New(router.Options{
		Addresses: cfg.Upstream.Nodes, Clock: a.clock.Monotonic, Log: a.log.Logger,
		Dial: func(ctx context.Context, address string) (net.Conn, error) {
			cfg := a.server.Config()
			secure, err := clientTLS(cfg, cfg.Upstream.TLS)
			if err != nil {
				return nil, err
			}
			return dialServer(ctx, address, secure)
		},
		Name: fmt.Sprintf("%s-%d", host, os.Getpid()), Version: Version,
		Timeout: func() time.Duration { return sidecarSettings(a.server.Config()).Timeout },
	})
	return sidecar.New(sidecar.Options{
		Hub: hub, User: router.Identity{Name: cfg.Upstream.User, Password: cfg.Upstream.Password},
		Clock: func() account.Time {
			return account.Time{Boot: a.clock.Boot() / 1000, Wall: a.clock.Machine() / 1000}
		},
		Guesses: a.server.Logins(), Log: a.log.Logger,
		Settings: func() sidecar.Settings { return sidecarSettings(a.server.Config()) },
	})
}

// sidecarReport returns what INFO and the metrics show of a sidecar.
func (a *App) sidecarReport() report.Sidecar {
	s := a.peers.sidecar
	f, lost := s.Figures()
	return report.Sidecar{
		Mode: string(a.server.Config().Upstream.Mode),
		Hub:  a.server.Config().Upstream.Nodes, Up: s.Hub().InTime(), Lag: s.Hub().Lag(),
		Accounts: s.Accounts(), Lost: lost, Figures: f,
	}
}

// lostPolicies has the policy of each value of upstream-lost.
var lostPolicies = map[config.Lost]account.Policy{
	config.LostDeny: account.Deny, config.LostAllow: account.Allow, config.LostLocal: account.Share,
}

func sidecarSettings(cfg *config.Config) sidecar.Settings {
	interval := int64(0)
	if cfg.Upstream.Mode == config.ModeReport {
		interval = cfg.Upstream.Interval
	}
	return sidecar.Settings{
		Settings: account.Settings{Lease: cfg.Upstream.Lease, Interval: interval, Keys: cfg.Upstream.Keys},
		Lost:     lostPolicies[cfg.Upstream.Lost],
		Timeout:  time.Duration(cfg.Upstream.Timeout) * time.Millisecond,
	}
}

// dialServer connects to another server, without TLS if `secure` is nil.
func dialServer(ctx context.Context, address string, secure *tls.Config) (net.Conn, error) {
	tcp := net.Dialer{KeepAlive: 15 * time.Second}
	if secure == nil {
		return tcp.DialContext(ctx, "tcp", address)
	}
	return (&tls.Dialer{NetDialer: &tcp, Config: secure}).DialContext(ctx, "tcp", address)
}

// clientTLS returns how to speak TLS with another server; nil if it is not `wanted`. It reads the files of
// TLS each time, so that renewed ones count.
func clientTLS(cfg *config.Config, wanted bool) (secure *tls.Config, err error) {
	if !wanted {
		return nil, nil
	}
	secure = &tls.Config{MinVersion: tls.VersionTLS12}
	if cfg.TLSCACertFile != "" {
		secure.RootCAs, err = listen.Authorities(cfg)
	} else if secure.RootCAs, err = x509.SystemCertPool(); err != nil {
		err = fmt.Errorf("the certificates of the system: %w: set tls-ca-cert-file", err)
	}
	if err == nil && cfg.TLSCertFile != "" {
		secure.Certificates = make([]tls.Certificate, 1)
		secure.Certificates[0], err = listen.KeyPair(cfg)
	}
	return secure, err
}

// startDisk loads the data, unless this is a sidecar.
func (a *App) startDisk(ctx context.Context) error {
	if a.peers.sidecar != nil {
		a.server.SetCondition(server.Condition{})
		return nil
	}
	return a.disk.Start(ctx)
}
