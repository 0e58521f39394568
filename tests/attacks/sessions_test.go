package attacks

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// The general bound: one authenticated client sends 64 KB of any requests. The process then takes at
// most 64 MB beyond maxmemory and the limits that are set, and no other client waits longer than
// 100 ms. The README names the exceptions: commands on the whole keyspace.

const (
	sessionBytes = 64 << 10
	sessionRoom  = 64 << 20 // beyond maxmemory and the output limit
	longestWait  = 100 * time.Millisecond
)

// limits of the attacked server, in bytes.
const (
	sessionMemory = 64 << 20
	sessionOutput = 16 << 20
)

// excepted are the commands that no bound covers: they work on the whole keyspace, end the server, or
// wait on purpose.
var excepted = []string{"shutdown", "debug", "flushall", "flushdb", "keys", "save", "bgsave", "bgrewriteaof", "config", "client", "monitor",
	"memory", "acl", "wait", "swapdb", "failover", "sync", "psync"}

// TestSessions sends sessions of random commands. SEED repeats one.
func TestSessions(t *testing.T) {
	seed := rand.Uint64()
	if s := os.Getenv("SEED"); s != "" {
		var err error
		seed, err = strconv.ParseUint(s, 10, 64)
		require.NoError(t, err)
	}
	for i := range uint64(rounds(12, 1000)) {
		about, waited := attackSession(t, seed+i)
		for tries := 1; waited > longestWait && tries < 3; tries++ { // the machine has other work
			about, waited = attackSession(t, seed+i)
		}
		require.Less(t, waited, longestWait, "another client waited: %s", about)
	}
}

// attackSession runs one session, and returns the longest wait of another client.
func attackSession(t *testing.T, seed uint64) (about string, waited time.Duration) {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 0))
	s := start(t, "--maxmemory", strconv.Itoa(sessionMemory), "--client-output-buffer-limit", "normal "+strconv.Itoa(sessionOutput)+" 0 0")
	defer s.cmd.Process.Kill()
	populate(s)
	_, before := s.memory()
	lines := worstLines(s, r)
	about = fmt.Sprintf("SEED=%d: %.300q", seed, lines)
	other := s.watch()
	admin := s.dial()
	quiet := clients(t, admin)
	nc := s.connect()
	go io.Copy(io.Discard, nc)
	_, err := nc.Write(repeated(lines))
	require.NoError(t, err, about)
	drain(t, admin, nc, quiet)
	_, _, waited = other.waits()
	_, peak := s.memory()
	require.Less(t, peak, before+sessionMemory+sessionOutput+sessionRoom, "memory: %s", about)
	require.Equal(t, "0", s.info("command_panics"), about)
	return about, waited
}

// populate gives the session values that are worth an attack.
func populate(s *server) {
	c := s.dial()
	c.Do("SETRANGE", "big", 10<<20, "x")
	for i := 0; i < 50_000; i += 500 {
		args := []any{"ZADD", "z"}
		for j := range 500 {
			args = append(args, i+j, fmt.Sprintf("member:%08d", i+j))
		}
		c.Do(args...)
	}
}

// sharp are lines that make the server hold, log, answer or compute much for few bytes.
var sharp = [][]string{
	{"RENAME big other", "RENAME other big"}, {"COPY big other REPLACE"}, {"MOVE big 1", "SELECT 1", "MOVE big 0", "SELECT 0"},
	{"MGET big big big big big big big big"}, {"GET big"}, {"GETRANGE big 0 -1"}, {"SETRANGE other 10485760 x", "DEL other"}, {"APPEND big x"},
	{"RENAME z y", "RENAME y z"}, {"COPY z y REPLACE"}, {"ZUNIONSTORE y 2 z z"}, {"ZRANGESTORE y z 0 -1"}, {"ZRANGE z 0 -1 WITHSCORES"}, {"ZDIFFSTORE y 1 z"},
	{"DUMP big"}, {"DUMP z"}, {"LCS big big"}, {"SUBSCRIBE a", "PUBLISH a big", "UNSUBSCRIBE a"}, {"SCAN 0 COUNT 1000000"}, {"ZSCAN z 0 COUNT 1000000"},
	{"CL.LOG log 1000000 60 1000000"}, {"CL.WINDOW w 9223372036854775807 60 9223372036854775807"}, {"WATCH big z other y"}, {"EVALSHA 0 0"}, {"BITCOUNT big"},
	{"COMMAND DOCS"}, {"COMMAND"}, {"INFO everything"}, {"CL.TOP 8192"}, {"CL.RULE LIST"}, {"LATENCY HISTOGRAM"}, {"SLOWLOG GET -1"}, {"LOLWUT"},
}

// worstLines draws up to three command lines, to be repeated.
func worstLines(s *server, r *rand.Rand) (lines []string) {
	var names []string
	for _, one := range s.dial().Do("COMMAND").([]any) {
		row := one.([]any)
		name := row[0].(string)
		if slices.Contains(excepted, name) {
			continue
		}
		arity := row[1].(int64)
		words := max(arity, -arity) - 1
		for range words + int64(r.IntN(4)) {
			name += " " + pick(r)
		}
		names = append(names, name)
	}
	lines = append(lines, "SELECT 0")
	for range 1 + r.IntN(3) {
		if r.IntN(2) == 0 {
			lines = append(lines, sharp[r.IntN(len(sharp))]...)
		} else {
			lines = append(lines, names[r.IntN(len(names))])
		}
	}
	if r.IntN(3) == 0 {
		lines = slices.Concat([]string{"MULTI"}, lines, []string{"EXEC"})
	}
	return lines
}

// pick returns an argument.
func pick(r *rand.Rand) string {
	words := []string{"big", "z", "big", "z", "other", "0", "-1", "1", "2", "1000000000", "9223372036854775807", "-inf", "+inf", "*", "WITHSCORES", "LIMIT",
		"BYSCORE", "STORE", "REPLACE", "COUNT", "MATCH", "GET", "EX", "[a", "+", "-", "IDX", "LEN", "AGGREGATE", "SUM"}
	return words[r.IntN(len(words))]
}

// repeated repeats the lines until they are as large as a session may be.
func repeated(lines []string) (session []byte) {
	var once []byte
	for _, line := range lines {
		args := []any{}
		for _, word := range strings.Fields(line) {
			args = append(args, word)
		}
		once = append(once, resptest.Command(args...)...)
	}
	for len(session)+len(once) <= sessionBytes {
		session = append(session, once...)
	}
	return session
}

// drain waits until the server has run the session, or closed its connection.
func drain(t *testing.T, admin *resptest.Client, nc net.Conn, quiet int) {
	t.Helper()
	nc.(*net.TCPConn).CloseWrite()
	deadline := time.Now().Add(20 * time.Second)
	for time.Now().Before(deadline) {
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
