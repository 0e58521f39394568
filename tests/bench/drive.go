package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"slices"
	"time"
)

// script appends a connection's i-th request, and exactly the reply that must come; '?' in it is any digit.
type script func(request, reply []byte, i int) ([]byte, []byte)

// load is a closed loop: every connection sends a pipeline of requests once the last one is answered.
type load struct {
	addr        string
	connections int
	pipeline    int
	count       int           // requests of each connection, or
	duration    time.Duration // how long, or
	until       <-chan struct{}
	script      func(connection int) script
	heard       func(connection int, replies []byte) // if not nil, is shown the replies to each pipeline
}

// timing is one pipeline: when it was sent, since the load began, and how long its last reply took.
type timing struct{ at, took time.Duration }

// outcome is what a load came to.
type outcome struct {
	requests int
	elapsed  time.Duration
	timings  []timing
}

// drive puts a load on a server. A reply that is not the expected one is an error.
func drive(ctx context.Context, l load) (outcome, error) {
	conns := make([]net.Conn, 0, l.connections)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range l.connections {
		c, err := net.DialTimeout("tcp", l.addr, patience)
		if err != nil {
			return outcome{}, err
		}
		conns = append(conns, c)
	}
	type result struct {
		timings []timing
		err     error
	}
	results := make(chan result)
	begun := time.Now()
	for i, c := range conns {
		go func() {
			timings, err := l.talk(ctx, c, i, begun)
			results <- result{timings, err}
		}()
	}
	var parts [][]timing
	var failed []error
	for range conns {
		r := <-results
		parts, failed = append(parts, r.timings), append(failed, r.err)
	}
	all := outcome{elapsed: time.Since(begun), timings: slices.Concat(parts...)} // now that nobody waits for an answer
	all.requests = len(all.timings) * l.pipeline
	return all, errors.Join(failed...)
}

// talk is one connection's part.
func (l *load) talk(ctx context.Context, nc net.Conn, connection int, begun time.Time) ([]timing, error) {
	s := l.script(connection)
	var request, reply, got []byte
	var timings []timing
	for i := 0; ctx.Err() == nil; {
		sent := time.Since(begun)
		if l.duration > 0 && sent >= l.duration || l.count > 0 && i >= l.count || isClosed(l.until) {
			return timings, nil
		}
		request, reply = request[:0], reply[:0]
		for range l.pipeline {
			request, reply = s(request, reply, i)
			i++
		}
		got = slices.Grow(got[:0], len(reply))[:len(reply)]
		if err := exchange(nc, request, reply, got); err != nil {
			return timings, err
		}
		if l.heard != nil {
			l.heard(connection, got)
		}
		timings = append(timings, timing{sent, time.Since(begun) - sent})
	}
	return timings, ctx.Err()
}

// isClosed reports whether a channel is; nil is not.
func isClosed(c <-chan struct{}) bool {
	select {
	case <-c:
		return true
	default:
		return false
	}
}

// exchange sends a request and reads its reply into got.
func exchange(nc net.Conn, request, reply, got []byte) error {
	nc.SetDeadline(time.Now().Add(patience))
	if _, err := nc.Write(request); err != nil {
		return err
	}
	n, err := io.ReadFull(nc, got)
	if !matches(got[:n], reply[:n]) {
		return fmt.Errorf("%.200q was answered %.200q, not %.200q", request, got[:n], reply)
	}
	return err
}

// matches compares a reply with the expected one, of the same length, in which '?' stands for any digit.
func matches(got, expected []byte) bool {
	for i, c := range got {
		if c != expected[i] && !(expected[i] == '?' && '0' <= c && c <= '9') {
			return false
		}
	}
	return true
}

// percentile is the least duration that is not below the given part (0…1) of them; 0 for none. It sorts them.
func percentile(all []timing, part float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.SortFunc(all, func(a, b timing) int { return int(a.took - b.took) })
	return all[max(0, min(len(all)-1, ceil(part*float64(len(all)))-1))].took
}

// ceil is the least integer that is not below x.
func ceil(x float64) int {
	n := int(x)
	if float64(n) < x {
		n++
	}
	return n
}

// filler sends a request for each of n keys and awaits the same reply every time.
func filler(addr string, n int, request func(b []byte, i int) []byte, reply string) load {
	pipeline := min(n, 500)
	for n%pipeline != 0 {
		pipeline--
	}
	return load{addr: addr, connections: 1, pipeline: pipeline, count: n, script: func(int) script {
		return func(sent, expected []byte, i int) ([]byte, []byte) {
			return request(sent, i), append(expected, reply...)
		}
	}}
}
