package attacks

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// The general bound: one authenticated client sends 64 KB of any requests. The process then takes at
// most 64 MB beyond maxmemory and the limits that are set, no command panics, and no other client waits longer than 100 ms. Half
// of the sessions have an append-only file: then changes may wait for the disk. docs/operating.md names the exceptions.

const (
	sessionBytes = 64 << 10
	sessionWait  = 100 * time.Millisecond
)

// limits of the attacked server, in bytes.
const (
	sessionMemory = 64 << 20
	sessionOutput = 16 << 20
	sessionValue  = 16 << 20
)

// sessionTries is how often a session runs before its wait counts. A busy machine makes a client wait now and then, a long
// command makes it wait each time.
const sessionTries = 8

// sessionTime bounds the test in CI.
const sessionTime = 15 * time.Second

// TestSessions sends sessions of random commands. CI sends the same ones each time, ATTACKS=full others.
// SEED repeats one.
func TestSessions(t *testing.T) {
	seed, begun := uint64(1), time.Now()
	if os.Getenv("ATTACKS") == "full" {
		seed = rand.Uint64()
	}
	if s := os.Getenv("SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
		repeatSession(t, start(t), seed)
		return
	}
	idle := start(t) // measures how long the machine makes clients wait
	ran := 0
	for i := range uint64(rounds(100, 1000)) {
		if rounds(0, 1) == 0 && time.Since(begun) > sessionTime {
			break
		}
		repeatSession(t, idle, seed+i)
		ran++
	}
	t.Logf("%d sessions in %v", ran, time.Since(begun))
}

// repeatSession runs a session until no other client waits too long, or sessionTries times.
func repeatSession(t *testing.T, idle *server, seed uint64) {
	t.Helper()
	for n := range sessionTries {
		w, about := attackSession(t, idle, seed)
		t.Logf("%v: %s", w, about)
		if w.most() <= sessionWait {
			return
		}
		require.Less(t, n, sessionTries-1, "others waited: %v: %s", w, about)
	}
}

// waits is how long other clients waited at most. A client of an idle server waits for the machine alone.
type waits struct {
	ping, get, incr, idle time.Duration
	slowness              float64 // of the machine
}

// most returns the longest wait without the machine's share. INCR waits for the log. The server needs processor time to
// write the changes of the session, and a busy machine gives it less.
func (w waits) most() time.Duration {
	return max(w.ping-w.idle, w.get-w.idle, time.Duration(float64(w.incr-w.idle)/w.slowness))
}

func (w waits) String() string {
	return fmt.Sprintf("PING %v, GET %v, INCR %v, idle server %v, slowness %.1f", w.ping, w.get, w.incr, w.idle, w.slowness)
}

// attackSession runs one session. It returns how long other clients waited.
func attackSession(t *testing.T, idle *server, seed uint64) (w waits, about string) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	log := []string{"no", "yes"}[r.IntN(2)]
	s := start(t, "--appendonly", log, "--maxmemory", strconv.Itoa(sessionMemory), "--proto-max-bulk-len", strconv.Itoa(sessionValue),
		"--client-output-buffer-limit", fmt.Sprintf("normal %d 0 0 pubsub %d 0 0", sessionOutput, sessionOutput))
	defer s.Cmd.Process.Kill()
	done := s.guard(1<<30, sessionOutput)
	populate(s)
	session, lines := []byte(nil), []string{"mixed"}
	if r.IntN(3) == 0 {
		session = mixedSession(s, r)
	} else {
		lines = worstLines(s, r)
		session = repeated(lines)
	}
	about = fmt.Sprintf("SEED=%d: appendonly %s, %.300q", seed, log, lines)
	others := []*bystander{s.watch(), s.watchWith("GET", sessionKey), s.watchWith("INCR", sessionKey), idle.watch()}
	slowness := spin()
	admin := s.dial() // the server has counted all that were there before
	quiet := clients(t, admin)
	nc := s.connect()
	go io.Copy(io.Discard, nc)
	_, err := nc.Write(session)
	require.NoError(t, err, about)
	drain(t, admin, nc, quiet)
	for i, longest := range []*time.Duration{&w.ping, &w.get, &w.incr, &w.idle} {
		_, _, *longest = others[i].waits()
	}
	w.slowness = slowness()
	done()
	if t.Failed() {
		t.Log(about)
	}
	require.Equal(t, "0", s.info("command_panics"), about)
	return w, about
}

// sessionKey is a key of the other client. No key of a session is in its partition: a long command holds the partitions of
// its own keys.
const sessionKey = "bystander"

// drain waits until the server has run the session, or has closed its connection. After some seconds the client leaves.
func drain(t *testing.T, admin *resptest.Client, nc net.Conn, quiet int) {
	t.Helper()
	nc.(*net.TCPConn).CloseWrite()
	leaves := time.AfterFunc(time.Duration(rounds(1, 20))*time.Second, func() { nc.Close() })
	defer leaves.Stop()
	for deadline := time.Now().Add(time.Minute); time.Now().Before(deadline); {
		if clients(t, admin) == quiet {
			return
		}
		time.Sleep(5 * time.Millisecond) // a real process
	}
	require.Fail(t, "the session does not end")
}

// clients returns the number of connections.
func clients(t *testing.T, admin *resptest.Client) int {
	t.Helper()
	_, rest, _ := strings.Cut(admin.Do("INFO", "clients").(string), "connected_clients:")
	count, _, _ := strings.Cut(rest, "\r\n")
	n, err := strconv.Atoi(count)
	require.NoError(t, err)
	return n
}
