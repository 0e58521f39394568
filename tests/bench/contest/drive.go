package contest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The wildcards of expected replies: one or more digits, and any byte.
const (
	Digits  = '#'
	AnyByte = '\x00'
)

// Script appends a connection's next request, and its expected reply. heard has the numbers that stood for
// Digits in the replies to the previous pipeline.
type Script func(request, reply []byte, heard []int64) ([]byte, []byte)

// Load is a closed loop: a connection sends a pipeline of requests after all replies to the previous one
// have arrived.
type Load struct {
	Addrs    []string // of the connections; a path for a unix socket
	Scripts  []Script // of the connections
	Pipeline int
	Count    int           // requests of each connection; 0 for no bound
	Duration time.Duration // length of the load; 0 for no bound
}

// Outcome is the result of a load.
type Outcome struct {
	Requests int
	Elapsed  time.Duration
	Timings  []time.Duration // of the pipelines, from the sending to the last reply
}

// replyPatience is how long a reply may take.
const replyPatience = 20 * time.Second

// Drive runs a load. A wrong reply fails the test.
func Drive(t testing.TB, l Load) Outcome {
	t.Helper()
	out, err := l.drive(t.Context())
	require.NoError(t, err)
	return out
}

func (l *Load) drive(ctx context.Context) (all Outcome, err error) {
	type result struct {
		timings []time.Duration
		err     error
	}
	results := make(chan result)
	conns := make([]net.Conn, len(l.Scripts))
	for i := range conns {
		network, addr := "tcp", l.Addrs[i%len(l.Addrs)]
		if strings.HasPrefix(addr, "/") {
			network = "unix"
		}
		if conns[i], err = net.DialTimeout(network, addr, replyPatience); err != nil {
			return all, err
		}
		defer conns[i].Close()
	}
	begun := time.Now()
	for i, c := range conns {
		go func() {
			timings, err := l.talk(ctx, c, l.Scripts[i], begun)
			results <- result{timings, err}
		}()
	}
	var failed []error
	for range conns {
		r := <-results
		all.Timings, failed = append(all.Timings, r.timings...), append(failed, r.err)
	}
	all.Elapsed = time.Since(begun)
	all.Requests = len(all.Timings) * l.Pipeline
	return all, errors.Join(failed...)
}

// talk runs one connection.
func (l *Load) talk(
	ctx context.Context, nc net.Conn, next Script, begun time.Time,
) (all []time.Duration, err error) {
	var request, reply []byte
	var heard []int64
	replies := bufio.NewReaderSize(nc, 64<<10)
	for sentRequests := 0; ctx.Err() == nil; sentRequests += l.Pipeline {
		sent := time.Since(begun)
		if l.Duration > 0 && sent >= l.Duration || l.Count > 0 && sentRequests >= l.Count {
			return all, nil
		}
		request, reply = request[:0], reply[:0]
		for range l.Pipeline {
			request, reply = next(request, reply, heard)
		}
		nc.SetDeadline(time.Now().Add(replyPatience))
		if _, err := nc.Write(request); err != nil {
			return all, err
		}
		if heard, err = expect(replies, reply, heard[:0]); err != nil {
			return all, fmt.Errorf("%.200q was answered %w", request, err)
		}
		all = append(all, time.Since(begun)-sent)
	}
	return all, ctx.Err()
}

// expect reads a reply. It appends the numbers that stand for Digits.
func expect(r *bufio.Reader, reply []byte, heard []int64) ([]int64, error) {
	for i, want := range reply {
		got, err := r.ReadByte()
		if err != nil {
			return heard, err
		}
		switch {
		case want == Digits && '0' <= got && got <= '9':
			n := int64(0)
			for ; '0' <= got && got <= '9' && err == nil; got, err = r.ReadByte() {
				n = 10*n + int64(got-'0')
			}
			heard = append(heard, n)
			if err == nil {
				err = r.UnreadByte()
			}
			if err != nil {
				return heard, err
			}
		case got != want && want != AnyByte:
			rest, _ := r.Peek(min(r.Buffered(), 100))
			return heard, fmt.Errorf("%q after %.100q, not %.200q", append([]byte{got}, rest...), reply[:i], reply)
		}
	}
	return heard, nil
}

// Fill sends one request for each of n keys. Every request has the same reply.
func Fill(t testing.TB, addr string, n int, request func(b []byte, i int) []byte, reply string) {
	t.Helper()
	pipeline, i := min(n, 500), 0
	for n%pipeline != 0 {
		pipeline--
	}
	Drive(t, Load{Addrs: []string{addr}, Pipeline: pipeline, Count: n, Scripts: []Script{
		func(sent, expected []byte, _ []int64) ([]byte, []byte) {
			i++
			return request(sent, i-1), append(expected, reply...)
		},
	}})
}

// Command appends a command. It does not use fmt, because the clients must be faster than the server.
func Command(b []byte, words ...string) []byte {
	b = append(strconv.AppendInt(append(b, '*'), int64(len(words)), 10), "\r\n"...)
	for _, word := range words {
		b = append(strconv.AppendInt(append(b, '$'), int64(len(word)), 10), "\r\n"...)
		b = append(append(b, word...), "\r\n"...)
	}
	return b
}

// Key writes a key: a prefix, and a number of twelve digits.
func Key(prefix string, i int) string {
	b := append(slices.Grow([]byte(prefix), 12), random...)
	putDigits(b[len(prefix):], i)
	return string(b)
}

// putDigits writes a number of twelve digits.
func putDigits(b []byte, i int) {
	for at := len(random) - 1; at >= 0; at-- {
		b[at] = byte('0' + i%10)
		i /= 10
	}
}
