package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"time"

	"cellserver/tests/bench/contest"
	"cellserver/tests/bench/report"
	"cellserver/tests/bench/server"
	"cellserver/tests/bench/webload"
)

// webSide is a server of HTTP under measurement.
type webSide struct {
	name, addr string
	pid        int
	request    func(to []byte, connection, i int) []byte
	cpu        []float64 // µs for a request, round by round
	rate       []float64

	p50, p99, late []float64 // seconds, at half load
}

const (
	webConnections = 16

	// bareGarbage lets the program with the constant handler have as much garbage as cellserver, which sets GOGC to
	// this value on a small heap.
	bareGarbage = "GOGC=400"
	httpHead    = " HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: */*\r\n\r\n"
)

// webLimits compares a limit over HTTP with a handler that answers a constant. The sides take turns.
func webLimits(ctx context.Context, o contest.Options) ([]report.Section, error) {
	bare, stop, err := startBare(ctx, o)
	if err != nil {
		return nil, err
	}
	defer stop()
	port, err := server.FreePort()
	if err != nil {
		return nil, err
	}
	k := contest.Ours(o)
	k.Argv = append(k.Argv, "--http-port", port)
	s, err := k.Start(ctx, o.Core)
	if err != nil {
		return nil, err
	}
	defer s.Stop()
	if _, err := s.Do("CL.RULE", "SET", "api", "CL.THROTTLE", 15, 30, 60); err != nil {
		return nil, err
	}
	check := &webSide{name: "/check", addr: "127.0.0.1:" + port, pid: s.PID, request: func(to []byte, c, i int) []byte {
		to = strconv.AppendInt(append(to, "GET /check/api?key=user:"...), int64((c*7919+i)%100_000), 10)
		return append(to, httpHead...)
	}}
	sides := []*webSide{bare, check}
	for _, measure := range []func(*webSide) error{
		func(side *webSide) error { return side.measure(ctx, o) },
		func(side *webSide) error { return side.pace(ctx, o) },
	} {
		for range o.Repeats {
			for _, side := range sides {
				if err := measure(side); err != nil {
					return nil, fmt.Errorf("%s: %w", side.name, err)
				}
			}
		}
	}
	return webReport(bare, check), nil
}

// startBare starts the program beside the bench that answers a constant.
func startBare(ctx context.Context, o contest.Options) (*webSide, func(), error) {
	port, err := server.FreePort()
	if err != nil {
		return nil, nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, nil, err
	}
	addr := "127.0.0.1:" + port
	cmd := exec.CommandContext(ctx, "taskset", "-c", o.Core, filepath.Join(filepath.Dir(self), "barehttp"), "-addr", addr)
	cmd.Stderr, cmd.Env = os.Stderr, []string{bareGarbage}
	if err := cmd.Start(); err != nil {
		return nil, nil, err
	}
	stop := func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		nc, err := net.Dial("tcp", addr)
		if err == nil {
			nc.Close()
			break
		}
		if time.Now().After(end) {
			stop()
			return nil, nil, err
		}
	}
	return &webSide{name: "a constant", addr: addr, pid: cmd.Process.Pid, request: constant}, stop, nil
}

// constant is the request to a handler that does not read it.
func constant(to []byte, _, _ int) []byte {
	return append(append(to, "GET /check/api?key=user:1"...), httpHead...)
}

// measure adds a round.
func (s *webSide) measure(ctx context.Context, o contest.Options) error {
	before, err := server.CPU(s.pid)
	if err != nil {
		return err
	}
	r, err := webload.Drive(ctx, webload.Load{Addr: s.addr, Request: s.request, Connections: webConnections, Duration: time.Duration(o.Seconds * 1e9)})
	if err != nil {
		return err
	}
	after, err := server.CPU(s.pid)
	if err != nil {
		return err
	}
	if wrong := r.Requests() - r.Replies[200] - r.Replies[429]; wrong > 0 {
		return fmt.Errorf("%d replies are neither 200 nor 429", wrong)
	}
	n := float64(r.Requests())
	s.cpu, s.rate = append(s.cpu, (after-before).Seconds()*1e6/n), append(s.rate, n/o.Seconds)
	report.Say("%-10s %8.0f a second, %.2f µs", s.name, s.rate[len(s.rate)-1], s.cpu[len(s.cpu)-1])
	return nil
}

// pace adds a round at half load.
func (s *webSide) pace(ctx context.Context, o contest.Options) error {
	r, err := webload.Drive(ctx, webload.Load{Addr: s.addr, Request: s.request, Connections: webConnections,
		Duration: time.Duration(o.Seconds * 1e9), Rate: report.Median(s.rate) / 2})
	if err != nil {
		return err
	}
	add := func(to *[]float64, times []time.Duration, p float64) {
		*to = append(*to, webload.Percentile(times, p).Seconds())
	}
	add(&s.p50, r.Took, 0.5)
	add(&s.p99, r.Took, 0.99)
	add(&s.late, r.Late, 0.99)
	report.Say("%-10s at half load: p99 %.2f ms", s.name, s.p99[len(s.p99)-1]*1e3)
	return nil
}

// webReport writes the section.
func webReport(bare, check *webSide) []report.Section {
	t := report.Table{Numbers: 7, Head: []string{"handler", "per second", "CPU µs", "CPU, ×", "p50 at half load", "p99 at half load", "p99, ×", "p99 of the load"}}
	for _, side := range []*webSide{bare, check} {
		ms := func(rounds []float64) string { return fmt.Sprintf("%.2f", report.Median(rounds)*1e3) }
		t.Add(side.name, report.Thousands(report.Median(side.rate)), fmt.Sprintf("%.2f", report.Median(side.cpu)), ratio(side.cpu, bare.cpu),
			ms(side.p50), ms(side.p99), ratio(side.p99, bare.p99), ms(side.late))
	}
	return []report.Section{{ID: "http", Heading: "Limits over HTTP", Table: t, Notes: fmt.Sprintf(`%d connections ask for a rule with CL.THROTTLE, for 100,000 keys, one request after another.
A handler of net/http that answers a constant is beside it, with the same bound on its garbage. The two take turns, and each figure is the
median of the rounds. × is the median of the ratios, round by round. The load never sleeps, so neither server pays to wake it. Latencies are
in milliseconds, from the moment when a request was due. The last column is how late the load itself sent its requests.`, webConnections)}}
}

// ratio returns the median of the ratios of two sides.
func ratio(of, to []float64) string {
	ratios := make([]float64, len(of))
	for i := range of {
		ratios[i] = of[i] / to[i]
	}
	return fmt.Sprintf("%.2f", report.Median(ratios))
}
