package main

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// patience is how long a server may take to start, to stop, and to answer.
const patience = 20 * time.Second

// kind is a server to measure.
type kind struct {
	name      string
	argv      []string // without the port
	throttles bool     // it knows CL.THROTTLE
	only      bool     // CL.THROTTLE is all that is measured of it
}

const (
	redis      = "Redis"
	redisCell  = "redis-cell"
	cellserver = "cellserver"
)

// kinds are the servers to measure, Redis first. Nothing is saved, and every one may have many clients.
func kinds(o options) []kind {
	common := []string{"--save", "", "--appendonly", "no", "--maxclients", strconv.Itoa(o.clients + 1000), "--bind", "127.0.0.1"}
	all := []kind{{name: redis, argv: append([]string{"redis-server"}, common...)}}
	if o.redisCell != "" {
		argv := append([]string{"redis-server", "--loadmodule", o.redisCell}, common...)
		all = append(all, kind{name: redisCell, argv: argv, throttles: true, only: true})
	}
	return append(all, kind{name: cellserver, argv: append([]string{o.cellserver}, common...), throttles: true})
}

// server is one that runs.
type server struct {
	kind
	*client
	addr string
	pid  int
	stop func()
}

// start starts a server pinned to a core, with an environment that leaves its settings alone, and waits until it answers.
func (k kind) start(ctx context.Context, core string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	argv := slices.Clone(k.argv)
	if argv[0], err = programPath(argv[0]); err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	ctx, cancel := context.WithCancel(ctx)
	cmd := exec.CommandContext(ctx, "taskset", append([]string{"-c", core}, append(argv, "--port", port)...)...)
	var log bytes.Buffer
	cmd.Stdout, cmd.Stderr, cmd.Dir, cmd.Env = &log, &log, dir, []string{"PATH=" + os.Getenv("PATH")}
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = patience
	if err := cmd.Start(); err != nil {
		cancel()
		os.RemoveAll(dir)
		return nil, err
	}
	ended := make(chan struct{})
	go func() { cmd.Wait(); close(ended) }()
	s := &server{kind: k, addr: "127.0.0.1:" + port, pid: cmd.Process.Pid}
	s.stop = func() {
		cancel()
		<-ended
		os.RemoveAll(dir)
	}
	if s.client, err = await(s.addr, ended); err != nil {
		s.stop()
		return nil, fmt.Errorf("%s does not start: %w\n%s", k.name, err, log.String())
	}
	return s, nil
}

// programPath makes a path hold in another folder; a bare name stays one.
func programPath(name string) (string, error) {
	if !strings.Contains(name, "/") {
		return name, nil
	}
	return filepath.Abs(name)
}

// await connects as soon as the server answers.
func await(addr string, ended <-chan struct{}) (*client, error) {
	var err error
	for end := time.Now().Add(patience); time.Now().Before(end); {
		var c *client
		if c, err = dial(addr); err == nil {
			if _, err = c.do("PING"); err == nil {
				return c, nil
			}
			c.close()
		}
		select {
		case <-ended:
			return nil, err
		case <-time.After(10 * time.Millisecond):
		}
	}
	return nil, err
}

// freePort asks the system for a port that nobody uses.
func freePort() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer l.Close()
	_, port, err := net.SplitHostPort(l.Addr().String())
	return port, err
}

// resident is the server's resident memory in bytes.
func (s *server) resident() (int64, error) {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", s.pid))
	if err != nil {
		return 0, err
	}
	return parseResident(string(status))
}

// parseResident finds VmRSS, in bytes, in /proc/PID/status.
func parseResident(status string) (int64, error) {
	for line := range strings.Lines(status) {
		if text, ok := strings.CutPrefix(line, "VmRSS:"); ok {
			var kilobytes int64
			if _, err := fmt.Sscanf(text, "%d kB", &kilobytes); err != nil {
				return 0, fmt.Errorf("VmRSS:%s: %w", text, err)
			}
			return kilobytes << 10, nil
		}
	}
	return 0, fmt.Errorf("no VmRSS in the status of the server")
}

// settled waits until the server's resident memory has not moved by 1 % for two seconds, half a minute at most.
func (s *server) settled(ctx context.Context) (int64, error) {
	last, err := s.resident()
	for still, tries := 0, 0; err == nil && still < 4 && tries < 60; tries++ {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(500 * time.Millisecond):
		}
		var now int64
		now, err = s.resident()
		if max(now, last)-min(now, last) <= last/100 {
			still++
		} else {
			still, last = 0, now
		}
	}
	return last, err
}
