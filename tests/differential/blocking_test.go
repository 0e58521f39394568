package differential

import (
	"fmt"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	blockingRounds = 10  // each from an empty keyspace, with new clients
	blockingSteps  = 120 // of a round
)

// A waiter is one connection to each server.
type waiter struct {
	redis, ours *wire
	ids         [2]string  // of CLIENT ID
	proto       string     // RESP version
	sent        [][]string // the command that waits, and those behind it; nil for none
}

// blockingRound sends random commands to both servers, and tracks which clients wait.
type blockingRound struct {
	require.TestingT
	redis, ours *peer
	heard       [2]*listener // of the keyspace events
	patience    time.Duration
	clients     []*waiter
	grammar     blockingGrammar
	log         []string
}

// TestClientsThatWait: several clients wait for lists and sorted sets, and others bring them. Both servers serve the
// same clients with the same elements, in the same order. BLOCKING=3m plays new rounds for three minutes.
func TestClientsThatWait(t *testing.T) {
	redis, ours := startRedis(t, false), startOurs(t)
	heard := [2]*listener{listen(t, redis), listen(t, ours)}
	seed, end := seed(t), time.Now()
	t.Logf("SEED=%d", seed)
	if text := os.Getenv("BLOCKING"); text != "" {
		lasts, err := time.ParseDuration(text)
		require.NoError(t, err, "BLOCKING")
		end = end.Add(lasts)
	}
	require.False(t, differs(redis, ours, heard, false))
	require.True(t, differs(redis, ours, heard, true), "a server that serves the last client first")
	begun, waited := time.Now(), 0
	for round := uint64(0); round < blockingRounds || time.Now().Before(end); round++ {
		r := &blockingRound{TestingT: t, redis: redis, ours: ours, heard: heard, patience: replyTimeout}
		r.grammar.Rand = rand.New(rand.NewPCG(seed+round, 2))
		func() {
			defer func() {
				if t.Failed() {
					t.Logf("SEED=%d, the steps:\n%s", seed+round, strings.Join(r.log, "\n"))
				}
			}()
			waited += r.play()
		}()
	}
	require.Greater(t, waited, 100)
	t.Logf("%d commands have waited, %s", waited, time.Since(begun).Round(time.Second/10))
}

// differs reports whether a comparison finds a difference between the servers. If opposite is true, the clients come to ours
// in the opposite order, as if ours served the last one first.
func differs(redis, ours *peer, heard [2]*listener, opposite bool) bool {
	var bait verdict
	done := make(chan struct{})
	go func() {
		defer close(done)
		r := &blockingRound{TestingT: &bait, redis: redis, ours: ours, heard: heard, patience: replyTimeout}
		if opposite {
			r.patience = 500 * time.Millisecond // it ends by impatience
		}
		r.grammar.Rand = rand.New(rand.NewPCG(1, 2))
		r.begin(4)
		waits := []string{"BLPOP", "{t}a", "0"}
		for i, first := range r.clients[:3] {
			second := first
			if opposite {
				second = r.clients[2-i]
			}
			require.NoError(r, first.redis.send(waits))
			require.NoError(r, second.ours.send(waits))
			r.awaitBlocked(r.redis, first.ids[0])
			r.awaitBlocked(r.ours, second.ids[1])
			first.sent = [][]string{waits}
		}
		defer r.end()
		r.do(r.clients[3], []string{"RPUSH", "{t}a", "x"})
	}()
	<-done
	return bait.failed
}

// verdict implements [require.TestingT] for a comparison that may fail.
type verdict struct{ failed bool }

func (v *verdict) Errorf(string, ...any) { v.failed = true }
func (v *verdict) FailNow()              { v.failed = true; runtime.Goexit() }

// begin empties both servers, and connects clients.
func (r *blockingRound) begin(clients int) {
	r.both("FLUSHALL")
	r.settle()
	for range clients {
		c := &waiter{}
		r.connect(c)
		r.clients = append(r.clients, c)
	}
}

// play plays a round, and returns how many commands have waited.
func (r *blockingRound) play() (waited int) {
	r.begin(3 + r.grammar.IntN(4))
	r.grammar.payloads = r.payloads()
	for range blockingSteps {
		c := r.clients[r.grammar.IntN(len(r.clients))]
		if c.sent != nil {
			r.disturb(c)
			continue
		}
		for _, args := range r.grammar.program() {
			r.do(c, args)
			if c.sent != nil {
				waited++
				break
			}
		}
	}
	for _, c := range r.clients {
		for c.sent != nil {
			r.unblock(c, "TIMEOUT")
		}
	}
	for db := range 2 {
		r.both("SELECT", strconv.Itoa(db))
		for _, key := range blockingKeys {
			r.both("DUMP", key)
		}
	}
	r.both("SELECT", "0")
	r.end()
	return waited
}

func (r *blockingRound) end() {
	for _, c := range r.clients {
		r.leave(c)
	}
}

// payloads are a list and a sorted set for RESTORE.
func (r *blockingRound) payloads() (all []string) {
	for _, line := range []string{"RPUSH k p q", "ZADD k 1 p 2 q", "SET k v"} {
		r.both(strings.Fields(line)...)
		dump, err := r.redis.admin.do("DUMP", "k")
		require.NoError(r, err)
		all = append(all, dump.text)
		r.both("DEL", "k")
	}
	r.settle()
	return all
}

func (r *blockingRound) connect(c *waiter) {
	for i, p := range []*peer{r.redis, r.ours} {
		w, err := dial(p.addr)
		require.NoError(r, err)
		if i == 0 {
			c.redis, c.proto = w, strconv.Itoa(2+r.grammar.IntN(2))
		} else {
			c.ours = w
		}
		_, err = w.do("HELLO", c.proto)
		require.NoError(r, err)
		id, err := w.do("CLIENT", "ID")
		require.NoError(r, err)
		c.ids[i] = id.text
	}
	c.sent = nil
}

// both sends a command over the connections that never wait, and compares the replies.
func (r *blockingRound) both(args ...string) {
	a, err := r.redis.admin.do(args...)
	require.NoError(r, err)
	b, err := r.ours.admin.do(args...)
	require.NoError(r, err)
	if args[0] == "DUMP" {
		a, b = dumped(a), dumped(b)
	}
	require.Equal(r, a.String(), b.String(), "%q", args)
}

// do sends a command of a client that does not wait, and takes the replies of all that do not wait any more. A command may
// follow in the same pipeline. It uses no keys: the two servers run it beside those of other clients.
func (r *blockingRound) do(c *waiter, args []string) {
	c.sent = [][]string{args}
	if r.grammar.mayWait(args) && r.grammar.IntN(6) == 0 {
		c.sent = append(c.sent, [][]string{{"SELECT", "0"}, {"SELECT", "1"}, {"ECHO", "x"}}[r.grammar.IntN(3)])
	}
	r.log = append(r.log, fmt.Sprintf("%s: %q", c.ids[0], c.sent))
	for _, args := range c.sent {
		require.NoError(r, c.redis.send(args))
		require.NoError(r, c.ours.send(args))
	}
	if !r.grammar.mayWait(args) {
		r.answers(c)
	}
	r.settle()
}

// answers takes the replies of both servers to what a client has sent.
func (r *blockingRound) answers(c *waiter) {
	for _, args := range c.sent {
		a, err := c.redis.receive()
		require.NoError(r, err, "redis has no reply to %q", args)
		b, err := c.ours.receive()
		require.NoError(r, err, "cellserver has no reply to %q, redis has %s", args, a)
		require.Equal(r, a.String(), b.String(), "%q of client %s", args, c.ids[0])
	}
	c.sent = nil
}

// disturb does something to a client that waits, or nothing.
func (r *blockingRound) disturb(c *waiter) {
	switch r.grammar.IntN(8) {
	case 0, 1:
		r.unblock(c, []string{"TIMEOUT", "ERROR"}[r.grammar.IntN(2)])
	case 2:
		r.log = append(r.log, c.ids[0]+" leaves")
		r.leave(c)
		r.connect(c)
	case 3:
		r.log = append(r.log, c.ids[0]+" is killed")
		for i, p := range []*peer{r.redis, r.ours} {
			n, err := p.admin.do("CLIENT", "KILL", "ID", c.ids[i])
			require.NoError(r, err)
			require.Equal(r, ":1", n.String())
		}
		r.leave(c)
		r.connect(c)
	case 4:
		r.pause()
	}
	r.settle()
}

// pause sends a command of another client while CLIENT PAUSE holds it back.
func (r *blockingRound) pause() {
	at := slices.IndexFunc(r.clients, func(c *waiter) bool { return c.sent == nil })
	if at < 0 {
		return
	}
	c, args := r.clients[at], r.grammar.line(true)
	r.log = append(r.log, fmt.Sprintf("%s: %q, held back by CLIENT PAUSE", c.ids[0], args))
	r.both("CLIENT", "PAUSE", "100000", "WRITE")
	c.sent = [][]string{args}
	require.NoError(r, c.redis.send(args))
	require.NoError(r, c.ours.send(args))
	r.takeReplies() // PUBLISH would wait
	r.both("CLIENT", "UNPAUSE")
	if c.sent != nil && !r.grammar.mayWait(args) {
		r.answers(c)
	}
}

func (r *blockingRound) unblock(c *waiter, how string) {
	r.log = append(r.log, c.ids[0]+" ends by "+how)
	a, err := r.redis.admin.do("CLIENT", "UNBLOCK", c.ids[0], how)
	require.NoError(r, err)
	b, err := r.ours.admin.do("CLIENT", "UNBLOCK", c.ids[1], how)
	require.NoError(r, err)
	require.Equal(r, a.String(), b.String())
	r.settle()
	require.Nil(r, c.sent, "%s has unblocked the client", how)
}

// leave closes the connections of a client, and waits until both servers know it.
func (r *blockingRound) leave(c *waiter) {
	_ = c.redis.conn.Close()
	_ = c.ours.conn.Close()
	for i, p := range []*peer{r.redis, r.ours} {
		r.eventually(func() bool { return r.line(p, c.ids[i]) == "" }, "a client has left")
	}
}

func (r *blockingRound) eventually(is func() bool, what string) {
	for end := time.Now().Add(r.patience); !is(); time.Sleep(200 * time.Microsecond) {
		require.True(r, time.Now().Before(end), "%s", what)
	}
}

// line returns the line of a client in CLIENT LIST.
func (r *blockingRound) line(p *peer, id string) string {
	line, err := p.admin.do("CLIENT", "LIST", "ID", id)
	require.NoError(r, err)
	return line.text
}

func (r *blockingRound) awaitBlocked(p *peer, id string) {
	r.eventually(func() bool { return strings.Contains(r.line(p, id), " flags=b ") }, "a client waits")
}

// state is what has become of a command that may wait.
type state int

const (
	unknown state = iota // the server has not run it yet
	waits
	answered
)

func (s state) String() string { return []string{"unknown", "waits", "answered"}[s] }

func (r *blockingRound) state(p *peer, w *wire, id string) state {
	if w.hasReply() {
		return answered
	}
	if strings.Contains(r.line(p, id), " flags=b ") {
		return waits
	}
	return unknown
}

// settle waits until the same clients wait at both servers. It compares the replies of the others, and the events.
func (r *blockingRound) settle() {
	r.takeReplies()
	want := r.heard[0].events(r)
	require.Equal(r, want, r.heard[1].events(r), "the events")
}

// takeReplies waits until the same clients wait at both servers, and takes the replies of the others.
func (r *blockingRound) takeReplies() {
	for again := true; again; {
		again = false
		for _, c := range r.clients {
			if c.sent == nil {
				continue
			}
			var a, b state
			var end time.Time
			for a, b = unknown, unknown; a == unknown || a != b; {
				a, b = r.state(r.redis, c.redis, c.ids[0]), r.state(r.ours, c.ours, c.ids[1])
				if now := time.Now(); end.IsZero() {
					end = now.Add(r.patience)
				} else {
					require.True(r, now.Before(end), "%q of client %s: redis %s, cellserver %s", c.sent, c.ids[0], a, b)
				}
			}
			if a == answered {
				r.answers(c)
				again = true
			}
		}
	}
}
