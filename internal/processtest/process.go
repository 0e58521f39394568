package processtest

import (
	"bufio"
	"bytes"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// Patience is how long a test waits for an event that must come.
const Patience = time.Minute

// Process is a running program.
type Process struct {
	Cmd    *exec.Cmd
	Done   chan struct{} // closed once the program has ended
	Status error         // of the program; valid after Done

	t   testing.TB
	out output
}

// output collects what a program prints.
type output struct {
	mu  sync.Mutex // guards buf
	buf bytes.Buffer
}

// Write implements [io.Writer].
func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buf.Write(p)
}

// Installed returns the path of a program that is not of this module. Without it the test is skipped, or
// fails if CELLSERVER_NO_SKIP forbids that.
func Installed(t testing.TB, program string) string {
	t.Helper()
	for _, name := range []string{program, "/usr/sbin/" + filepath.Base(program)} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	require.Empty(t, os.Getenv("CELLSERVER_NO_SKIP"), "%s is missing: tests/run install", program)
	t.Skipf("%s is missing: tests/run install", program)
	return ""
}

// Start starts a program, which ends with the test. If the test fails, its output is shown. The caller may
// have sent one of the two outputs elsewhere.
func Start(t testing.TB, cmd *exec.Cmd) *Process {
	t.Helper()
	p := &Process{Cmd: cmd, Done: make(chan struct{}), t: t}
	if cmd.Stdout == nil {
		cmd.Stdout = &p.out
	}
	if cmd.Stderr == nil {
		cmd.Stderr = &p.out
	}
	cmd.WaitDelay = time.Second // a child of the program may keep its output open
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	require.NoError(t, cmd.Start())
	go func() {
		p.Status = cmd.Wait()
		close(p.Done)
	}()
	t.Cleanup(func() {
		p.Stop(syscall.SIGKILL)
		if t.Failed() {
			t.Logf("%s printed:\n%s", filepath.Base(cmd.Path), p.Printed())
		}
	})
	return p
}

// Printed returns what the program has printed so far.
func (p *Process) Printed() string {
	p.out.mu.Lock()
	defer p.out.mu.Unlock()
	return p.out.buf.String()
}

// Stop ends the program by a signal, and kills it if that takes too long.
func (p *Process) Stop(sig syscall.Signal) {
	_ = p.Cmd.Process.Signal(sig) // it may have ended
	select {
	case <-p.Done:
	case <-time.After(Patience):
		_ = p.Cmd.Process.Kill()
		<-p.Done
	}
}

// Await waits until the program listens at an address.
func (p *Process) Await(address string) {
	p.t.Helper()
	p.await(address, "the program does not listen", func(net.Conn) bool { return true })
}

// AwaitData waits until a server has loaded its data. Before that moment, a server may answer LOADING.
func (p *Process) AwaitData(address string) {
	p.t.Helper()
	p.await(address, "the server does not load its data", func(nc net.Conn) bool {
		defer time.AfterFunc(Patience, func() { nc.Close() }).Stop()
		_, _ = io.WriteString(nc, "PING\r\n")
		line, err := bufio.NewReader(nc).ReadString('\n')
		return err == nil && !strings.HasPrefix(line, "-LOADING")
	})
}

// await connects to an address until a connection is as it must be.
func (p *Process) await(address, fault string, is func(net.Conn) bool) {
	p.t.Helper()
	for deadline := time.After(Patience); ; {
		if nc, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			found := is(nc)
			nc.Close()
			if found {
				return
			}
		}
		select {
		case <-p.Done:
			require.Fail(p.t, "the program ended too early", "%s: %v: %s", p.Cmd.Path, p.Status, p.Printed())
		case <-deadline:
			require.Fail(p.t, fault, "%s: %s", p.Cmd.Path, p.Printed())
		case <-time.After(10 * time.Millisecond):
		}
	}
}
