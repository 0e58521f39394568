package webload

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"
)

// Load is what to send.
type Load struct {
	Addr        string
	Request     func(connection, i int) string // all bytes of a request
	Connections int
	Duration    time.Duration
	Rate        float64 // requests a second of all connections; 0 is as many as the server answers
}

// Result is what came back.
type Result struct {
	Replies map[int]int // by status
	Took    []time.Duration
}

// Requests returns the number of replies.
func (r *Result) Requests() (n int) {
	for _, replies := range r.Replies {
		n += replies
	}
	return n
}

// Percentile returns a percentile of the times of the replies.
func (r *Result) Percentile(p float64) time.Duration {
	slices.Sort(r.Took)
	return r.Took[min(int(p*float64(len(r.Took))), len(r.Took)-1)]
}

// Drive sends the load.
func Drive(ctx context.Context, l Load) (*Result, error) {
	ctx, cancel := context.WithTimeout(ctx, l.Duration)
	defer cancel()
	results, errs := make([]Result, l.Connections), make([]error, l.Connections)
	var all sync.WaitGroup
	for i := range l.Connections {
		all.Go(func() { results[i], errs[i] = l.connection(ctx, i) })
	}
	all.Wait()
	sum := &Result{Replies: map[int]int{}}
	for i, one := range results {
		if errs[i] != nil {
			return nil, errs[i]
		}
		for status, n := range one.Replies {
			sum.Replies[status] += n
		}
		sum.Took = append(sum.Took, one.Took...)
	}
	return sum, nil
}

// connection sends requests over one connection until ctx ends. With a rate, the time of a reply counts from the moment when
// its request was due.
func (l *Load) connection(ctx context.Context, number int) (r Result, err error) {
	nc, err := net.Dial("tcp", l.Addr)
	if err != nil {
		return r, err
	}
	defer nc.Close()
	in, begun := bufio.NewReader(nc), time.Now()
	r.Replies = map[int]int{}
	for i := 0; ctx.Err() == nil; i++ {
		due := time.Now()
		if l.Rate > 0 {
			due = begun.Add(time.Duration((float64(i*l.Connections) + float64(number)) / l.Rate * 1e9))
			time.Sleep(time.Until(due))
		}
		if _, err := io.WriteString(nc, l.Request(number, i)); err != nil {
			return r, err
		}
		status, err := reply(in)
		if err != nil {
			return r, err
		}
		r.Replies[status]++
		r.Took = append(r.Took, time.Since(due))
	}
	return r, nil
}

// reply reads one reply, which has a Content-Length.
func reply(in *bufio.Reader) (status int, err error) {
	line, err := in.ReadSlice('\n')
	if err != nil {
		return 0, err
	}
	if len(line) < 12 {
		return 0, fmt.Errorf("this is no status: %q", line)
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, err
	}
	length := 0
	for {
		if line, err = in.ReadSlice('\n'); err != nil {
			return 0, err
		}
		if line = bytes.TrimRight(line, "\r\n"); len(line) == 0 {
			break
		}
		if name, value, _ := bytes.Cut(line, []byte(": ")); bytes.EqualFold(name, []byte("Content-Length")) {
			if length, err = strconv.Atoi(string(value)); err != nil {
				return 0, err
			}
		}
	}
	_, err = in.Discard(length)
	return status, err
}
