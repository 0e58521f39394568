package differential

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

const (
	waiters        = 5   // connections of a round
	blockingRounds = 12  // each with keys of its own
	blockingSteps  = 150 // of a round
)

// A waiter is one connection to each server.
type waiter struct {
	redis, ours *wire
	ids         [2]string // of CLIENT ID
	sent        []string  // the command that waits; nil for none
}

// blockingRound sends random commands to both servers, and tracks which clients wait.
type blockingRound struct {
	*testing.T
	rand        *rand.Rand
	redis, ours *peer
	clients     []*waiter
	log         []string
}

// TestClientsThatWait: several clients wait for lists and sorted sets, and others bring them. Both servers serve the
// same clients with the same elements.
func TestClientsThatWait(t *testing.T) {
	redis, ours := startRedis(t, false), startOurs(t)
	seed := seed(t)
	t.Logf("SEED=%d", seed)
	for round := range uint64(blockingRounds) {
		r := &blockingRound{T: t, rand: rand.New(rand.NewPCG(seed+round, 2)), redis: redis, ours: ours}
		r.play()
	}
}

func (r *blockingRound) play() {
	r.both("FLUSHALL")
	for range waiters {
		r.clients = append(r.clients, r.connect())
	}
	defer func() {
		if r.Failed() {
			r.Logf("the steps:\n%s", strings.Join(r.log, "\n"))
		}
	}()
	for range blockingSteps {
		r.step()
	}
	for _, c := range r.clients {
		if c.sent != nil {
			r.unblock(c, "TIMEOUT")
		}
	}
	r.both("LRANGE", "{t}a", "0", "-1")
	for _, c := range r.clients {
		_ = c.redis.conn.Close()
		_ = c.ours.conn.Close()
	}
}

func (r *blockingRound) connect() *waiter {
	c := &waiter{}
	var err error
	c.redis, err = dial(r.redis.addr)
	require.NoError(r, err)
	c.ours, err = dial(r.ours.addr)
	require.NoError(r, err)
	proto := strconv.Itoa(2 + r.rand.IntN(2))
	for i, w := range []*wire{c.redis, c.ours} {
		_, err = w.do("HELLO", proto)
		require.NoError(r, err)
		id, err := w.do("CLIENT", "ID")
		require.NoError(r, err)
		c.ids[i] = id.text
	}
	return c
}

// both sends a command over the connections that never wait, and compares the replies.
func (r *blockingRound) both(args ...string) {
	a, err := r.redis.admin.do(args...)
	require.NoError(r, err)
	b, err := r.ours.admin.do(args...)
	require.NoError(r, err)
	require.Equal(r, a.String(), b.String(), "%v", args)
}

// step sends a command of a client that does not wait, and takes the replies of all that waited.
func (r *blockingRound) step() {
	c := r.clients[r.rand.IntN(len(r.clients))]
	if c.sent != nil {
		switch r.rand.IntN(4) {
		case 0:
			r.unblock(c, []string{"TIMEOUT", "ERROR"}[r.rand.IntN(2)])
		case 1:
			_ = c.redis.conn.Close()
			_ = c.ours.conn.Close()
			r.log = append(r.log, "a client leaves: "+strings.Join(c.sent, " "))
			*c = *r.connect()
			r.settle()
		}
		return
	}
	lines := blockingLines(r.rand)
	for _, args := range lines {
		r.log = append(r.log, fmt.Sprintf("%s: %s", c.ids[0], strings.Join(args, " ")))
		require.NoError(r, c.redis.send(args))
		require.NoError(r, c.ours.send(args))
		if strings.HasPrefix(args[0], "B") {
			c.sent = args
			break
		}
		r.answers(c, args)
	}
	r.settle()
}

// answers takes one reply from each server.
func (r *blockingRound) answers(c *waiter, args []string) {
	a, err := c.redis.receive()
	require.NoError(r, err, "%v", args)
	b, err := c.ours.receive()
	require.NoError(r, err, "cellserver has no reply to %v, redis has %s", args, a)
	require.Equal(r, a.String(), b.String(), "%v", args)
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

// settle waits until both servers have equally many waiting clients, and takes the replies of the others.
func (r *blockingRound) settle() {
	blocked := func(p *peer) string {
		info, err := p.admin.do("INFO", "clients")
		require.NoError(r, err)
		_, rest, _ := strings.Cut(info.text, "blocked_clients:")
		n, _, _ := strings.Cut(rest, "\r\n")
		return n
	}
	var want string
	require.Eventually(r, func() bool { want = blocked(r.redis); return want == blocked(r.ours) }, 10*time.Second, time.Millisecond,
		"redis has %s waiting clients", want)
	for _, c := range r.clients {
		if c.sent != nil && !waitsInRedis(r, c) {
			r.answers(c, c.sent)
			c.sent = nil
		}
	}
}

// waitsInRedis reports whether a client still waits, by its line in CLIENT LIST.
func waitsInRedis(r *blockingRound, c *waiter) bool {
	line, err := r.redis.admin.do("CLIENT", "LIST", "ID", c.ids[0])
	require.NoError(r, err)
	return strings.Contains(line.text, " flags=b ")
}

// blockingLines returns a command, or a transaction.
func blockingLines(rng *rand.Rand) [][]string {
	if rng.IntN(6) > 0 {
		return [][]string{blockingLine(rng, true)}
	}
	lines := [][]string{{"MULTI"}}
	for range 1 + rng.IntN(4) {
		lines = append(lines, blockingLine(rng, false))
	}
	return append(lines, []string{"EXEC"})
}

func blockingLine(rng *rand.Rand, waits bool) []string {
	key := func() string { return []string{"{t}a", "{t}b", "{t}c"}[rng.IntN(3)] }
	keys := func() []string {
		var all []string
		for range 1 + rng.IntN(3) {
			all = append(all, key())
		}
		return all
	}
	pick := func(words ...string) string { return words[rng.IntN(len(words))] }
	numbered := func(name, timeout, side, other string) []string {
		k := keys()
		line := append([]string{name}, timeout, strconv.Itoa(len(k)))
		return append(append(line, k...), pick(side, other), "COUNT", pick("1", "2", "3"))
	}
	if waits && rng.IntN(2) == 0 {
		switch rng.IntN(6) {
		case 0:
			return append(append([]string{pick("BLPOP", "BRPOP")}, keys()...), "0")
		case 1:
			return []string{"BLMOVE", key(), key(), pick("LEFT", "RIGHT"), pick("LEFT", "RIGHT"), "0"}
		case 2:
			return []string{"BRPOPLPUSH", key(), key(), "0"}
		case 3:
			return numbered("BLMPOP", "0", "LEFT", "RIGHT")
		case 4:
			return append(append([]string{pick("BZPOPMIN", "BZPOPMAX")}, keys()...), "0")
		default:
			return numbered("BZMPOP", "0", "MIN", "MAX")
		}
	}
	switch rng.IntN(10) {
	case 0, 1, 2:
		return append([]string{pick("RPUSH", "LPUSH"), key()}, []string{"x", "y", "z"}[:1+rng.IntN(3)]...)
	case 3, 4:
		return append([]string{"ZADD", key()}, []string{"1", "x", "2", "y", "3", "z"}[:2+2*rng.IntN(3)]...)
	case 5:
		return []string{pick("DEL", "UNLINK"), key()}
	case 6:
		return []string{pick("RENAME", "COPY"), key(), key()}
	case 7:
		return []string{"EVAL", "redis.call('rpush', KEYS[1], 'e') return redis.call('zadd', KEYS[2], 1, 'm')", "2", key(), key()}
	case 8:
		return []string{pick("LPOP", "ZPOPMIN", "TYPE"), key()}
	default:
		return []string{pick("SET", "LPUSHX", "APPEND"), key(), "v"}
	}
}
