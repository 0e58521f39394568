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
	argv      []string // without what follows, and the port
	keeps     []string // directives: what it keeps on disk, and when
	throttles bool     // it knows CL.THROTTLE
	only      bool     // CL.THROTTLE is all that is measured of it
	metrics   bool     // it has some, and listens for who wants them
}

const (
	redis      = "Redis"
	redisCell  = "redis-cell"
	cellserver = "cellserver"
)

// nothing is what a server keeps on disk unless that is what is measured.
var nothing = []string{"--appendonly", "no"}

// kinds are the servers to measure, Redis first. Nothing is saved, every one may have many clients, and ours has its
// metrics on.
func kinds(o options) []kind {
	common := []string{"--save", "", "--maxclients", strconv.Itoa(o.clients + 1000), "--bind", "127.0.0.1"}
	all := []kind{{name: redis, argv: append([]string{"redis-server"}, common...), keeps: nothing}}
	if o.redisCell != "" {
		argv := append([]string{"redis-server", "--loadmodule", o.redisCell}, common...)
		all = append(all, kind{name: redisCell, argv: argv, keeps: nothing, throttles: true, only: true})
	}
	return append(all, kind{name: cellserver, argv: append([]string{o.cellserver}, common...), keeps: nothing, throttles: true, metrics: true})
}

// peers are the servers of which everything is measured: Redis and cellserver.
func peers(o options) []kind {
	return slices.DeleteFunc(kinds(o), func(k kind) bool { return k.only })
}

// ours is cellserver.
func ours(o options) kind {
	all := kinds(o)
	return all[len(all)-1]
}

// server is one that runs.
type server struct {
	kind
	*client
	addr string
	pid  int
	stop func()
}

// start starts a server pinned to a core, in a folder of its own, and waits until it answers. It tries again if it
// does not: a port is free until someone takes it.
func (k kind) start(ctx context.Context, core string) (*server, error) {
	dir, err := os.MkdirTemp("", "bench")
	if err != nil {
		return nil, err
	}
	s, err := k.startIn(ctx, core, dir)
	for tries := 1; err != nil && tries < 3 && ctx.Err() == nil; tries++ {
		s, err = k.startIn(ctx, core, dir)
	}
	if err != nil {
		os.RemoveAll(dir)
		return nil, err
	}
	end := s.stop
	s.stop = func() { end(); os.RemoveAll(dir) }
	return s, nil
}

// startIn starts a server pinned to a core, in a folder that may hold what it kept, with an environment that leaves its
// settings alone, and waits until it answers.
func (k kind) startIn(ctx context.Context, core, dir string) (*server, error) {
	port, err := freePort()
	if err != nil {
		return nil, err
	}
	argv := slices.Concat([]string{"-c", core}, k.argv, k.keeps, []string{"--port", port})
	if k.metrics {
		port, err := freePort()
		if err != nil {
			return nil, err
		}
		argv = append(argv, "--metrics-port", port)
	}
	if argv[2], err = programPath(argv[2]); err != nil {
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
	s := &server{kind: k, addr: "127.0.0.1:" + port, pid: cmd.Process.Pid}
	s.stop = func() {
		cancel()
		<-ended
	}
	if s.client, err = await(s.addr, ended); err != nil {
		s.stop()
		return nil, fmt.Errorf("%s does not start: %w\n%s", k.name, err, log.String())
	}
	if err := s.keepsAsTold(); err != nil {
		s.stop()
		return nil, err
	}
	return s, nil
}

// keepsAsTold reports a server that logs no changes though it should.
func (s *server) keepsAsTold() error {
	if slices.Equal(s.keeps, nothing) {
		return nil
	}
	enabled, err := s.persistence("aof_enabled")
	if err == nil && enabled != 1 {
		err = fmt.Errorf("%s keeps no log of changes", s.name)
	}
	return err
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
		case <-time.After(2 * time.Millisecond):
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
