package load

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"net"
	"slices"
	"strings"
	"time"
)

// replyPatience is how long a reply may take.
const replyPatience = 20 * time.Second

// Load is a closed loop: a connection sends a pipeline of requests after all replies to the previous one
// have arrived.
type Load struct {
	Addr        string // a path for a unix socket
	Connections int
	Pipeline    int
	Count       int           // requests of each connection; 0 for no bound
	Duration    time.Duration // length of the load; 0 for no bound
	Script      func(connection int) Script
	Heard       func(connection int, replies []byte) // receives the replies to each pipeline, if it is not nil
}

// Outcome is the result of a load.
type Outcome struct {
	Requests int
	Elapsed  time.Duration
	Timings  []time.Duration // of the pipelines, from the sending to the last reply
}

// Drive runs a load. A wrong reply is an error.
func Drive(ctx context.Context, l Load) (Outcome, error) {
	conns := make([]net.Conn, 0, l.Connections)
	defer func() {
		for _, c := range conns {
			c.Close()
		}
	}()
	for range l.Connections {
		network := "tcp"
		if strings.HasPrefix(l.Addr, "/") {
			network = "unix"
		}
		c, err := net.DialTimeout(network, l.Addr, replyPatience)
		if err != nil {
			return Outcome{}, err
		}
		conns = append(conns, c)
	}
	type result struct {
		timings []time.Duration
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
	var parts [][]time.Duration
	var failed []error
	for range conns {
		r := <-results
		parts, failed = append(parts, r.timings), append(failed, r.err)
	}
	all := Outcome{Elapsed: time.Since(begun), Timings: slices.Concat(parts...)} // at this point all connections are done
	all.Requests = len(all.Timings) * l.Pipeline
	return all, errors.Join(failed...)
}

// talk runs one connection.
func (l *Load) talk(ctx context.Context, nc net.Conn, id int, begun time.Time) ([]time.Duration, error) {
	s := l.Script(id)
	var request, reply, got []byte
	var all []time.Duration
	for i := 0; ctx.Err() == nil; {
		sent := time.Since(begun)
		if l.Duration > 0 && sent >= l.Duration || l.Count > 0 && i >= l.Count {
			return all, nil
		}
		request, reply = request[:0], reply[:0]
		for range l.Pipeline {
			request, reply = s(request, reply, i)
			i++
		}
		got = slices.Grow(got[:0], len(reply))[:len(reply)]
		if err := exchange(nc, request, reply, got); err != nil {
			return all, err
		}
		if l.Heard != nil {
			l.Heard(id, got)
		}
		all = append(all, time.Since(begun)-sent)
	}
	return all, ctx.Err()
}

// exchange sends a request and reads its reply into got.
func exchange(nc net.Conn, request, reply, got []byte) error {
	nc.SetDeadline(time.Now().Add(replyPatience))
	if _, err := nc.Write(request); err != nil {
		return err
	}
	n, err := io.ReadFull(nc, got)
	if !matches(got[:n], reply[:n]) {
		return fmt.Errorf("%.200q was answered %.200q, not %.200q", request, got[:n], reply)
	}
	return err
}

// matches compares a reply with the expected reply of the same length. In the expected reply, '?' matches
// any digit, and AnyByte any byte.
func matches(got, expected []byte) bool {
	for i, c := range got {
		want := expected[i]
		if c != want && want != AnyByte && !(want == '?' && '0' <= c && c <= '9') {
			return false
		}
	}
	return true
}

// Filler sends one request for each of n keys. Every request has the same reply.
func Filler(addr string, n int, request func(b []byte, i int) []byte, reply string) Load {
	pipeline := min(n, 500)
	for n%pipeline != 0 {
		pipeline--
	}
	return Load{Addr: addr, Connections: 1, Pipeline: pipeline, Count: n, Script: func(int) Script {
		return func(sent, expected []byte, i int) ([]byte, []byte) {
			return request(sent, i), append(expected, reply...)
		}
	}}
}

// Percentile returns the least duration that covers the given part (0…1) of all; 0 for none. It sorts all.
func Percentile(all []time.Duration, part float64) time.Duration {
	if len(all) == 0 {
		return 0
	}
	slices.Sort(all)
	return all[max(0, min(len(all)-1, int(math.Ceil(part*float64(len(all))))-1))]
}
