package listen

import (
	"bytes"
	"encoding/pem"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/internal/certtest"
	"cellserver/internal/config"

	"github.com/stretchr/testify/require"
)

// TestWarnOfEnd: from two weeks before its end, a certificate has one line a day, also if only a sidecar shows it.
func TestWarnOfEnd(t *testing.T) {
	dir := t.TempDir()
	end := certtest.New(t, dir, "server").Leaf.NotAfter
	cfg := config.Default()
	cfg.Dir = dir
	var log bytes.Buffer
	c := Certificates{Log: slog.New(slog.NewTextHandler(&log, nil))}
	lines := func() int { return strings.Count(log.String(), "the certificate ends") }
	c.WarnOfEnd(cfg, end)
	require.Zero(t, lines(), "no certificate")
	cfg.TLSCertFile, cfg.TLSKeyFile = "server.crt", "server.key"
	const day = 24 * time.Hour
	c.WarnOfEnd(cfg, end.Add(-30*day))
	require.Zero(t, lines())
	for now := end.Add(-13 * day); now.Before(end); now = now.Add(time.Hour) {
		c.WarnOfEnd(cfg, now)
	}
	require.Equal(t, 13, lines(), log.String())
	require.NotContains(t, log.String(), "ended=true")
	c.WarnOfEnd(cfg, end.Add(day))
	require.Contains(t, log.String(), "ended=true")
	c.WarnOfEnd(cfg, end.Add(-day))
	require.Equal(t, 15, lines(), "the clock was set back")
	cfg.TLSCertFile = "nowhere"
	c.WarnOfEnd(cfg, end.Add(3*day))
	require.Equal(t, 15, lines())
}

// TestWarnOfTheEndOfAnIssuer: an issuer in the file that ends before the certificate of the server has a line, and hides no other.
// A further one that has ended is signed across: clients know its key by another certificate.
func TestWarnOfTheEndOfAnIssuer(t *testing.T) {
	dir, cfg := t.TempDir(), config.Default()
	cfg.Dir, cfg.TLSCertFile, cfg.TLSKeyFile = dir, "server.crt", "server.key"
	leaf := certtest.New(t, dir, "server")
	end := leaf.Leaf.NotAfter.AddDate(-10, 0, 0)
	issuer := certtest.Between(t, dir, "issuer", leaf.Leaf.NotBefore, end)
	across := certtest.Between(t, dir, "across", leaf.Leaf.NotBefore, end.AddDate(-10, 0, 0))
	chain := []byte{}
	for _, der := range [][]byte{leaf.Certificate[0], issuer.Certificate[0], across.Certificate[0]} {
		chain = append(chain, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der})...)
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "server.crt"), chain, 0o600))
	var log bytes.Buffer
	c := Certificates{Log: slog.New(slog.NewTextHandler(&log, nil))}
	c.WarnOfEnd(cfg, end.Add(-30*24*time.Hour))
	require.Empty(t, log.String())
	c.WarnOfEnd(cfg, end.Add(-24*time.Hour))
	require.Contains(t, log.String(), "subject=\"CN=issuer\"")
	require.Equal(t, 1, strings.Count(log.String(), "\n"), log.String())
	c.WarnOfEnd(cfg, leaf.Leaf.NotAfter.Add(-24*time.Hour))
	require.Contains(t, log.String(), "subject=\"CN=server\"")
}

// TestWarnOfAShortLife: a certificate of one day that is renewed in time has no line. One that is not has a line before its end,
// also if it replaces another one.
func TestWarnOfAShortLife(t *testing.T) {
	dir, cfg := t.TempDir(), config.Default()
	cfg.Dir, cfg.TLSCertFile, cfg.TLSKeyFile = dir, "server.crt", "server.key"
	var log bytes.Buffer
	c := Certificates{Log: slog.New(slog.NewTextHandler(&log, nil))}
	const day = 24 * time.Hour
	begin := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	for range 10 {
		certtest.Between(t, dir, "server", begin, begin.Add(day))
		for until := begin.Add(day * 2 / 3); begin.Before(until); begin = begin.Add(time.Minute) {
			c.WarnOfEnd(cfg, begin)
		}
	}
	require.Empty(t, log.String())
	for end := begin.Add(day / 3); begin.Before(end); begin = begin.Add(time.Minute) {
		c.WarnOfEnd(cfg, begin)
	}
	require.Equal(t, 1, strings.Count(log.String(), "ended=false"), log.String())
}
