package server

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is how long a server may take to start, to stop, and to answer.
const patience = time.Minute

// Kind is a server program with its directives.
type Kind struct {
	Name      string
	Argv      []string // without the port
	Throttles bool     // the server knows CL.THROTTLE
	Only      bool     // the bench measures CL.THROTTLE only
	Metrics   bool     // the server gets a port for metrics
	HTTP      bool     // the server gets a port for HTTP
	Bare      bool     // the server speaks HTTP only, at its one port
}

const (
	Redis      = "Redis"
	RedisCell  = "redis-cell"
	Cellserver = "cellserver"
)

// Server is a running server.
type Server struct {
	Kind
	*Client // nil for a bare one
	Addr    string
	Web     string // the address of HTTP; "" for none
	PID     int
	Stop    func()
}

// Start starts a server on a core, in a new folder, and waits for its first answer.
func (k Kind) Start(ctx context.Context, core string) (*Server, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	s, err := k.startIn(ctx, core, dir)
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	end := s.Stop
	s.Stop = func() { end(); os.RemoveAll(dir) }
	return s, nil
}

// startIn starts a server on a core, in a folder, and waits for the first answer. The environment contains
// no settings.
func (k Kind) startIn(ctx context.Context, core, dir string) (*Server, error) {
	port, err := FreePort()
	if err != nil {
		return nil, err
	}
	argv := slices.Concat([]string{"-c", core}, k.Argv, []string{"--port", port})
	if k.Metrics {
		port, err := FreePort()
		if err != nil {
			return nil, err
		}
		argv = append(argv, "--metrics-port", port)
	}
	web := port
	if k.HTTP {
		if web, err = FreePort(); err != nil {
			return nil, err
		}
		argv = append(argv, "--http-port", web)
	}
	if argv[2], err = ProgramPath(argv[2]); err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "taskset", argv...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = &log, &log, dir, []string{"PATH=" + os.Getenv("PATH")}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = patience
	if err := cmd.Start(); err != nil {
		cancel()
		return nil, err
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	s := &Server{Kind: k, Addr: "127.0.0.1:" + port, PID: cmd.Process.Pid}
	if k.HTTP || k.Bare {
		s.Web = "127.0.0.1:" + web
	}
	s.Stop = func() {
		cancel()
		<-ended
	}
	if s.Client, err = k.await(s.Addr, ended); err != nil {
		s.Stop()
		return nil, fmt.Errorf("%s does not start: %w\n%s", k.Name, err, log.String())
	}
	return s, nil
}

// ProgramPath makes a path absolute, so that it holds in another folder. A bare name stays the same.
func ProgramPath(name string) (string, error) {
	if !strings.Contains(name, "/") {
		return name, nil
	}
	return filepath.Abs(name)
}

// await connects as soon as the server answers. A bare server answers no command: there await ends the
// connection.
func (k Kind) await(addr string, ended <-chan struct{}) (*Client, error) {
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); {
		var c *Client
		if c, err = Dial(addr); err == nil {
			if k.Bare {
				c.Close()
				return nil, nil
			}
			if _, err = c.Do("PING"); err == nil {
				return c, nil
			}
			c.Close()
		}
		select {
		case <-ended:
			return nil, err
		case <-time.After(2 * time.Millisecond):
		}
	}
	return nil, err
}

// FreePort returns a TCP port that no process uses now.
func FreePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

// Resident returns the server's resident memory in bytes.
func (s *Server) Resident() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.PID))
	if err != nil {
		return 0, err
	}
	return parseResident(string(status))
}

// Settled waits until the server's resident memory moves by less than 1 % for two seconds. It waits at most
// 30 s.
func (s *Server) Settled(ctx context.Context) (int64, error) {
	last, err := s.Resident()
	for still, tries := 0, 0; err == nil && still < 4 && tries < 60; tries++ {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
		var now int64
		now, err = s.Resident()
		if max(now, last)-min(now, last) <= last/100 {
			still++
		} else {
			still, last = 0, now
		}
	}
	return last, err
}

// Holds returns an error if the server does not hold exactly this number of keys.
func (s *Server) Holds(keys int) error {
	n, err := s.Do("DBSIZE")
	if err == nil && n != int64(keys) {
		err = fmt.Errorf("%v keys instead of %d", n, keys)
	}
	return err
}

// Pin lets this program and all processes that it starts later run on some cores only, such as "1" or
// "0-3,8".
func Pin(ctx context.Context, cores string) error {
	pin := exec.CommandContext(ctx, "taskset", "-a", "-c", "-p", cores, strconv.Itoa(os.Getpid()))
	out, err := pin.CombinedOutput()
	if err != nil {
		return fmt.Errorf("taskset: %w: %s", err, out)
	}
	runtime.SetDefaultGOMAXPROCS() // GOMAXPROCS follows the new set of cores
	return nil
}
