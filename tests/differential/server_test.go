package differential

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"cellserver/internal/buildtest"
	"cellserver/internal/porttest"

	"github.com/stretchr/testify/require"
)

// A peer is one of the two servers under comparison.
type peer struct {
	name     string
	addr     string
	admin    *wire
	clients  [clients]*wire
	setClock func(ns int64) error // nil if there is only the real clock
	kill     func()
}

// clients is the number of connections. The second one interferes with the transactions of the first one.
const clients = 2

// skip skips the test, or fails it if CELLSERVER_NO_SKIP forbids skips.
func skip(t *testing.T, format string, args ...any) {
	t.Helper()
	if os.Getenv("CELLSERVER_NO_SKIP") == "1" {
		t.Fatalf(format, args...)
	}
	t.Skipf(format, args...)
}

// startRedis starts a redis-server. If moved is true, a C compiler and LD_PRELOAD let the test move its clock.
func startRedis(t *testing.T, moved bool) *peer {
	t.Helper()
	bin, err := exec.LookPath("redis-server")
	if err != nil {
		skip(t, "no redis-server to compare with: install Debian's redis-server, version 7.0")
	}
	if v, err := exec.Command(bin, "--version").Output(); err != nil || !strings.Contains(string(v), "v=7.0.") {
		skip(t, "redis-server 7.0 is the reference, this is: %s", v)
	}
	p := &peer{name: "redis"}
	cmd := exec.Command(bin, "--save", "", "--daemonize", "no", "--enable-debug-command", "yes",
		"--slowlog-log-slower-than", "-1", "--dir", t.TempDir())
	if lib := clockLibrary(t); moved && lib != "" {
		file := filepath.Join(t.TempDir(), "clock")
		p.setClock = func(ns int64) error {
			f, err := os.OpenFile(file, os.O_WRONLY|os.O_CREATE, 0o600)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteAt(binary.NativeEndian.AppendUint64(nil, uint64(ns)), 0)
			return err
		}
		require.NoError(t, p.setClock(epoch))
		cmd.Env = append(os.Environ(), "LD_PRELOAD="+lib, "CLOCK_FILE="+file)
	}
	p.launch(t, cmd)
	return p
}

// clockLibrary compiles testdata/clock.c. Without a C compiler it logs that and returns "".
func clockLibrary(t *testing.T) string {
	cc, err := exec.LookPath("cc")
	if err != nil {
		t.Log("no C compiler: redis-server keeps the real clock")
		return ""
	}
	lib := filepath.Join(t.TempDir(), "clock.so")
	out, err := exec.Command(cc, "-O2", "-shared", "-fPIC", "-o", lib, "testdata/clock.c").CombinedOutput()
	require.NoError(t, err, "compiling the clock: %s", out)
	return lib
}

// program is our server, built once for all tests.
var program string

func TestMain(m *testing.M) {
	os.Exit(buildtest.Run(m, buildtest.Program{Package: buildtest.Server, Path: &program}))
}

// startOurs starts our server, or takes the server at CELLSERVER_ADDR.
func startOurs(t *testing.T) *peer {
	t.Helper()
	p := &peer{name: "cellserver", addr: os.Getenv("CELLSERVER_ADDR")}
	p.setClock = func(ns int64) error {
		r, err := p.admin.do("DEBUG", "CLOCK", "SET", fmt.Sprint(ns))
		if err == nil && !r.isOK("OK") {
			err = fmt.Errorf("DEBUG CLOCK SET: %s", r)
		}
		return err
	}
	if p.addr != "" {
		p.connect(t)
		return p
	}
	p.launch(t, exec.Command(program, "--enable-debug-command", "yes", "--appendonly", "no", "--dir", t.TempDir()))
	return p
}

// launch runs cmd on a free port until the test ends, and connects to it.
func (p *peer) launch(t *testing.T, cmd *exec.Cmd) {
	t.Helper()
	p.addr = fmt.Sprint("127.0.0.1:", porttest.Free(t))
	_, port, err := net.SplitHostPort(p.addr)
	require.NoError(t, err)
	cmd.Args = append(cmd.Args, "--port", port)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	require.NoError(t, err)
	cmd.Stdout, cmd.Stderr = log, log
	require.NoError(t, cmd.Start())
	p.kill = func() { _ = cmd.Process.Kill() }
	t.Cleanup(func() {
		p.kill()
		_ = cmd.Wait()
		if text, err := os.ReadFile(log.Name()); err == nil && t.Failed() {
			t.Logf("end of %s's log:\n%s", p.name, text[max(0, len(text)-3000):])
		}
	})
	require.Eventually(t, func() bool {
		w, err := dial(p.addr)
		if err != nil {
			return false
		}
		r, err := w.do("PING")
		_ = w.conn.Close()
		return err == nil && r.isOK("PONG")
	}, time.Minute, 20*time.Millisecond, "%s does not answer", p.name)
	p.connect(t)
}

func (p *peer) connect(t *testing.T) {
	t.Helper()
	var err error
	p.admin, err = dial(p.addr)
	require.NoError(t, err)
	require.NoError(t, p.reconnect())
}

// reconnect replaces the clients by new ones.
func (p *peer) reconnect() error {
	for i, old := range p.clients {
		if old != nil {
			_ = old.conn.Close()
		}
		w, err := dial(p.addr)
		if err != nil {
			return err
		}
		p.clients[i] = w
	}
	return nil
}
