package limits

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestPipelinesOfRequestsToRules sends random commands to two servers: in pipelines, and one by one. The replies and the keys
// are the same. In a pipeline, the server plans requests to rules while the commands before them run. Those commands may change
// the rules. A pipeline comes in one piece or more.
func TestPipelinesOfRequestsToRules(t *testing.T) {
	r := rand.New(randtest.Source(t))
	one, many := servertest.New(t), servertest.New(t)
	for range 1500 {
		lines := pipelineOfChecks(r)
		ns := r.Int64N(3e9)
		one.Clock.Advance(ns)
		many.Clock.Advance(ns)
		var sent, want []byte
		for _, line := range lines {
			request := wordsOf(line)
			sent = append(sent, request...)
			want = append(want, exchange(one, request)...)
		}
		var got []byte
		for len(sent) > 0 {
			n := len(sent)
			if r.IntN(2) == 0 {
				n = 1 + r.IntN(n)
			}
			got = append(got, exchange(many, bytes.Clone(sent[:n]))...)
			sent = sent[n:]
		}
		require.Equal(t, string(want), string(got), "%q", lines)
	}
	require.Equal(t, contents(one), contents(many))
	for _, h := range []*servertest.Harness{one, many} {
		counts := h.Info("commandstats")
		require.Contains(t, counts, "cmdstat_cl.check")
		require.Contains(t, counts, "cmdstat_cl.settle")
	}
}

// wordsOf returns a line as a request.
func wordsOf(line string) []byte {
	words := strings.Fields(line)
	args := make([]any, len(words))
	for i, w := range words {
		args[i] = w
	}
	return resptest.Command(args...)
}

func exchange(h *servertest.Harness, sent []byte) []byte {
	h.Send(sent)
	defer h.Session.Sent()
	return bytes.Clone(h.Session.Output())
}

// pipelineOfChecks returns some commands. Most are requests to rules.
func pipelineOfChecks(r *rand.Rand) (lines []string) {
	pick := func(of ...string) string { return of[r.IntN(len(of))] }
	key := func() string { return pick("a", "b", "c", "{a}x", "y{b}", "a}b", "{", "a{b", "one:{a}:throttle") }
	rule := func() string { return pick("one", "one", "two", "three", "wrong", "other", "default") }
	command := pick("CL.CHECK", "CL.CHECK", "CL.CHECK", "cl.check", "CL.EXPLAIN", "CL.RESERVE", "CL.RESERVE", "CL.RESERVE")
	var names []string // the rule and the keys of the request before; half of the requests repeat them
	for range 1 + r.IntN(14) {
		switch r.IntN(26) {
		case 0:
			lines = append(lines, "CL.RULE SET "+rule()+" "+pick("CL.THROTTLE 3 2 7", "CL.WINDOW 9 3", "CL.THROTTLE 9 8 7 AND CL.WINDOW 5 2 SHADOW",
				"SCOPE x CL.THROTTLE 4 3 9 AND SCOPE y CL.WINDOW 8 5 AND SCOPE y CL.LOG 7 6"))
		case 1:
			lines = append(lines, pick("CL.RULE DEL "+rule(), "CL.RULE OVERRIDE "+rule()+" "+pick("-", "x", "y")+" "+key()+" CL.THROTTLE 1 1 5",
				"SET {cl.rules}one nonsense", "FLUSHALL", "SWAPDB 0 1"))
		case 2:
			lines = append(lines, pick("SELECT 0", "SELECT 1", "GET a", "SET one:{a}:throttle text"))
		case 3:
			lines = append(lines, "MULTI", "CL.CHECK one a", pick("CL.RULE DEL one", "CL.RULE SET one CL.WINDOW 4 4", "PING"), "CL.CHECK one a", "EXEC")
		case 4:
			lines = append(lines, pick("CL.MCHECK 2 one a two b", "CL.CHECK one", "CL.CHECK one a b c d e"))
		case 5:
			lines = append(lines, "EVAL "+pick(
				"return{redis.pcall('CL.CHECK','one','a'),redis.pcall('CL.RULE','DEL','one'),redis.pcall('CL.CHECK','one','b')}",
				"return{redis.pcall('CL.CHECK','one',KEYS[1]),redis.pcall('CL.CHECK','one',KEYS[1],'EXPLAIN'),redis.pcall('GET',KEYS[1])}",
				"redis.call('CL.RULE','SET','one','CL.WINDOW','4','4')return{redis.pcall('CL.MCHECK','2','one','a','two','b')}")+" 1 a")
		default:
			if len(names) == 0 || r.IntN(2) == 0 {
				names = []string{rule()}
				for range 1 + r.IntN(3) {
					names = append(names, key())
				}
			} else if r.IntN(4) == 0 {
				names = append([]string{rule()}, names[1:]...)
			}
			words := append([]string{command}, names...)
			options := []string{"", "", "", "1", "0", "2 CHARGE", "PEEK", "1 EXPLAIN"}
			if command == "CL.RESERVE" {
				id := fmt.Sprint("id", r.IntN(9))
				if r.IntN(2) == 0 { // an earlier one may have made this reservation
					words = append(append([]string{"CL.SETTLE"}, words[1:]...), id, pick("0", "1", "2"))
				} else {
					words = append(words, "1", id, "9", pick("", "RELEASE"))
				}
				options = append(options[:3], "PEEK", "MS", strings.Repeat("x", 200))
			}
			lines = append(lines, strings.Join(append(words, pick(options...)), " "))
		}
	}
	return lines
}

// contents returns all keys of two databases, with their values and expiries.
func contents(h *servertest.Harness) (all []string) {
	for db := range 2 {
		h.Do("SELECT", db)
		for _, key := range h.Do("KEYS *").([]any) {
			all = append(all, fmt.Sprintf("%d %v %q %v", db, key, h.Do("DUMP", key), h.Do("PEXPIRETIME", key)))
		}
	}
	slices.Sort(all)
	return all
}

// TestConnectionsShareNoRequests: the memory for requests to rules goes from connection to connection, but no bytes of a request
// do. The race detector would find them.
func TestConnectionsShareNoRequests(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.THROTTLE 1000000 30 60")
	batches := [][]byte{
		servertest.Pipeline(4, "CL.RESERVE", "r", "key", "1", "id", "60"), servertest.Pipeline(4, "CL.CHECK", "r", "key", "wrong"),
		servertest.Pipeline(4, "CL.CHECK", "missing", "key"), servertest.Pipeline(2, "CL.MCHECK", "2", "r", "a", "missing", "key"),
	}
	var clients sync.WaitGroup
	for range 4 {
		c := h.NewClient(t)
		clients.Go(func() {
			for i := range 2000 {
				servertest.Exchange(t, c.Session, batches[i%len(batches)])
			}
		})
	}
	clients.Wait()
}
