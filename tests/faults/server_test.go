package faults

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"cellserver/internal/porttest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// patience is the longest time in which a server must start, answer or end.
const patience = time.Minute

// A program is a server that can be started on a directory: cellserver, or redis-server for comparison.
type program struct {
	name string
	path string
	args []string // before the arguments of the test

	memory uint64 // the most bytes that it may take; 0: unlimited
	fixed  string // its port; "": any free one
}

var cells = program{name: "cellserver", args: []string{"--enable-debug-command", "yes"}}

var redis = program{name: "redis", args: []string{"--daemonize", "no", "--enable-debug-command", "yes", "--auto-aof-rewrite-percentage", "0"}}

// subject returns the program under test.
func subject(t *testing.T) program {
	if os.Getenv("FAULTS_SUBJECT") == redis.name {
		return theRedis(t)
	}
	p := cells
	p.path = bin
	return p
}

// theRedis returns redis-server 7.0, which defines the formats.
func theRedis(t *testing.T) program {
	t.Helper()
	p := redis
	var err error
	if p.path, err = exec.LookPath("redis-server"); err != nil {
		skip(t, "no redis-server to compare with: install Debian's redis-server, version 7.0")
	}
	if v, err := exec.Command(p.path, "--version").Output(); err != nil || !strings.Contains(string(v), "v=7.0.") {
		skip(t, "redis-server 7.0 is the reference, this is: %s", v)
	}
	return p
}

// A server is a process of a program.
type server struct {
	program
	addr string
	pid  int
	gone chan struct{} // closed once the process has ended
	code int           // its exit code, or minus the signal that ended it
	log  string        // the path of its output
	dir  string        // the directory of its data
}

// start runs the program on dir and waits until it answers. If it does not answer, the test fails.
func (p program) start(t testing.TB, dir string, args ...string) *server {
	t.Helper()
	s, err := p.tryStart(t, dir, args...)
	require.NoError(t, err)
	return s
}

// errEnded is the error of a server that ended before it answered.
var errEnded = errors.New("ended before it answered")

// tryStart is start for a server that may refuse to start: then the error is errEnded.
func (p program) tryStart(t testing.TB, dir string, args ...string) (*server, error) {
	t.Helper()
	s := p.launch(t, dir, args...)
	return s, s.ready()
}

// launch starts the program, and does not wait.
func (p program) launch(t testing.TB, dir string, args ...string) *server {
	t.Helper()
	s, argv := p.prepare(t, dir, args)
	out, err := os.Create(s.log)
	require.NoError(t, err)
	defer out.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Stdout, cmd.Stderr = out, out
	require.NoError(t, cmd.Start())
	s.pid = cmd.Process.Pid
	s.limit(t)
	go func() {
		_ = cmd.Wait()
		s.ended(cmd.ProcessState.Sys().(syscall.WaitStatus))
	}()
	t.Cleanup(func() { s.killAtEnd(t) })
	return s
}

// limit limits the memory of the process.
func (s *server) limit(t testing.TB) {
	if s.memory == 0 {
		return
	}
	bound := syscall.Rlimit{Cur: s.memory, Max: s.memory}
	_, _, errno := syscall.RawSyscall6(syscall.SYS_PRLIMIT64, uintptr(s.pid), syscall.RLIMIT_DATA, uintptr(unsafe.Pointer(&bound)), 0, 0, 0)
	if errno != 0 && errno != syscall.ESRCH {
		t.Fatal(errno)
	}
}

// killAtEnd kills the server when its test ends, and searches its output for a panic or a data race.
func (s *server) killAtEnd(t testing.TB) {
	s.kill()
	text, err := os.ReadFile(s.log)
	if err != nil {
		t.Error(err)
	}
	for _, never := range []string{"panic:", "DATA RACE", "fatal error:", "BUG REPORT"} {
		if at := strings.Index(string(text), never); at >= 0 {
			t.Errorf("%s:\n%s", s.name, text[at:min(at+3000, len(text))])
		}
	}
}

// prepare returns a server that has not started, and its command line.
func (p program) prepare(t testing.TB, dir string, args []string) (*server, []string) {
	t.Helper()
	s := &server{program: p, dir: dir, gone: make(chan struct{})}
	log, err := os.CreateTemp(t.TempDir(), p.name+".log")
	require.NoError(t, err)
	require.NoError(t, log.Close())
	s.log = log.Name()
	port := p.fixed
	if port == "" {
		port = fmt.Sprint(porttest.Free(t))
	}
	s.addr = "127.0.0.1:" + port
	argv := append([]string{p.path}, p.args...)
	argv = append(argv, "--port", port, "--bind", "127.0.0.1", "--dir", dir)
	return s, append(argv, args...)
}

// port returns the port of the server.
func (s *server) port() string { return strings.TrimPrefix(s.addr, "127.0.0.1:") }

// ended stores how the process ended.
func (s *server) ended(status syscall.WaitStatus) {
	s.code = status.ExitStatus()
	if status.Signaled() {
		s.code = -int(status.Signal())
	}
	close(s.gone)
}

// ready waits until the server answers and has loaded its data.
func (s *server) ready() error {
	for deadline := time.Now().Add(patience); time.Now().Before(deadline); time.Sleep(2 * time.Millisecond) {
		select {
		case <-s.gone:
			return fmt.Errorf("%s, exit code %d: %w:\n%s", s.name, s.code, errEnded, s.output())
		default:
		}
		c, err := dial(s.addr)
		if err != nil {
			continue
		}
		v, err := c.do("PING")
		c.close()
		if err == nil && v == resptest.Simple("PONG") {
			return nil
		}
	}
	return fmt.Errorf("%s does not answer:\n%s", s.name, s.output())
}

// output returns the end of what the server printed.
func (s *server) output() string {
	b, _ := os.ReadFile(s.log)
	return string(b[max(0, len(b)-6000):])
}

// alive reports whether the process runs.
func (s *server) alive() bool {
	select {
	case <-s.gone:
		return false
	default:
		return true
	}
}

// kill kills the process and waits until it has ended.
func (s *server) kill() {
	if s.alive() {
		_ = syscall.Kill(s.pid, syscall.SIGKILL)
	}
	<-s.gone
}

// stop ends the process with SIGTERM, and fails the test if the process does not end normally.
func (s *server) stop(t testing.TB) {
	t.Helper()
	require.NoError(t, syscall.Kill(s.pid, syscall.SIGTERM))
	select {
	case <-s.gone:
		require.Zero(t, s.code, "%s", s.output())
	case <-time.After(patience):
		t.Fatalf("%s does not end:\n%s", s.name, s.output())
	}
}

// do sends one command on a new connection.
func (s *server) do(t testing.TB, args ...any) any {
	t.Helper()
	c, err := dial(s.addr)
	require.NoError(t, err, "%s", s.output())
	defer c.close()
	v, err := c.do(args...)
	require.NoError(t, err, "%v: %s", args[0], s.output())
	return v
}

// info returns a field of INFO, or "" if there is no such field.
func (s *server) info(t testing.TB, field string) string {
	t.Helper()
	return infoFields(s.do(t, "INFO", "everything"))[field]
}

// rewrite rewrites the append-only file and waits until the rewrite has succeeded.
func (s *server) rewrite(t testing.TB) {
	t.Helper()
	require.IsType(t, resptest.Simple(""), s.do(t, "BGREWRITEAOF"))
	s.rewritten(t)
}

// rewritten waits until no rewrite runs, and fails the test if the last one failed.
func (s *server) rewritten(t testing.TB) {
	t.Helper()
	require.True(t, idle(s), "%s", s.output())
	require.Equal(t, "ok", s.info(t, "aof_last_bgrewrite_status"), "%s", s.output())
}

// idle waits until no background job runs. It reports whether the server is still alive.
func idle(s *server) bool {
	return within(patience, func() (bool, error) {
		c, err := dial(s.addr)
		if err != nil {
			return false, err
		}
		defer c.close()
		v, err := c.do("INFO", "persistence")
		f := infoFields(v)
		return f["aof_rewrite_in_progress"] == "0" && f["rdb_bgsave_in_progress"] == "0" && f["aof_rewrite_scheduled"] == "0", err
	})
}

// within polls until a condition holds, up to a time limit or an error. It reports whether the condition holds.
func within(limit time.Duration, holds func() (bool, error)) bool {
	for deadline := time.Now().Add(limit); time.Now().Before(deadline); time.Sleep(time.Millisecond) {
		if ok, err := holds(); ok || err != nil {
			return ok
		}
	}
	return false
}

// A conn is a client connection. Its methods return errors, because its server may die at any time.
type conn struct {
	nc  net.Conn
	buf []byte // received, not yet parsed
}

func dial(addr string) (*conn, error) {
	nc, err := net.DialTimeout("tcp", addr, patience)
	if err != nil {
		return nil, err
	}
	return &conn{nc: nc}, nil
}

func (c *conn) close() { _ = c.nc.Close() }

// do sends a command and returns its reply, as resptest.Parse gives it.
func (c *conn) do(args ...any) (any, error) {
	if _, err := c.nc.Write(resptest.Command(args...)); err != nil {
		return nil, err
	}
	return c.receive()
}

func (c *conn) receive() (any, error) {
	for {
		if len(c.buf) > 0 {
			v, n, err := resptest.Parse(c.buf)
			if !errors.Is(err, resptest.ErrIncomplete) {
				c.buf = c.buf[n:]
				return v, err
			}
		}
		if err := c.nc.SetReadDeadline(time.Now().Add(patience)); err != nil {
			return nil, err
		}
		var more [16 << 10]byte
		n, err := c.nc.Read(more[:])
		c.buf = append(c.buf, more[:n]...)
		if n == 0 && err != nil {
			return nil, err
		}
	}
}

// integer returns the number in an integer or a bulk string.
func integer(v any) (int64, error) {
	switch x := v.(type) {
	case int64:
		return x, nil
	case string:
		return strconv.ParseInt(x, 10, 64)
	}
	return 0, fmt.Errorf("no integer: %#v", v)
}

// infoFields returns the fields in a reply of INFO.
func infoFields(reply any) map[string]string {
	fields := map[string]string{}
	text, _ := reply.(string)
	for line := range strings.Lines(text) {
		if name, value, ok := strings.Cut(strings.TrimSpace(line), ":"); ok {
			fields[name] = value
		}
	}
	return fields
}
