package gcra

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"cellserver/internal/exact"
	"github.com/stretchr/testify/require"
)

// A scenario is a recording of redis-cell 0.5.0 under a controlled clock, from an empty keyspace.
type scenario struct {
	Scenario int
	Steps    []struct {
		Now   int64
		Cmd   []string
		Reply json.RawMessage
	}
}

func readScenarios(t *testing.T, path string) []scenario {
	t.Helper()
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	var all []scenario
	for line := range bytes.Lines(text) {
		var s scenario
		require.NoError(t, json.Unmarshal(line, &s))
		all = append(all, s)
	}
	return all
}

// vectorsPath returns the path of the recordings, which are outside of the repository.
func vectorsPath(t *testing.T) string {
	t.Helper()
	if path := os.Getenv("CELLSERVER_VECTORS"); path != "" {
		return path
	}
	dir, err := os.Getwd()
	require.NoError(t, err)
	for ; dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "shared", "vectors", "cl-throttle.jsonl")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	const absent = "no shared/vectors/cl-throttle.jsonl in any directory above: CELLSERVER_VECTORS names it"
	if os.Getenv("CELLSERVER_NO_SKIP") == "1" {
		t.Fatal(absent)
	}
	t.Skip(absent)
	return ""
}

func TestVectors(t *testing.T) {
	replay(t, readScenarios(t, vectorsPath(t)))
}

// A few recordings are in the repository, so that every clone can test.
func TestVectorsKept(t *testing.T) {
	replay(t, readScenarios(t, filepath.Join("testdata", "cl-throttle.jsonl")))
}

func replay(t *testing.T, all []scenario) {
	require.NotEmpty(t, all)
	for i, s := range all {
		t.Run(fmt.Sprintf("line %d scenario %d", i+1, s.Scenario), func(t *testing.T) {
			keys := keyspace{}
			for j, step := range s.Steps {
				got := keys.do(t, step.Now, step.Cmd)
				requireReply(t, step.Cmd[0], step.Reply, got, fmt.Sprintf("step %d %q at %d", j, step.Cmd, step.Now))
			}
		})
	}
}

// requireReply compares replies as JSON. A TTL may differ by 1.
func requireReply(t *testing.T, command string, want json.RawMessage, got any, step string) {
	t.Helper()
	if command == "TTL" || command == "PTTL" {
		var ttl int64
		require.NoError(t, json.Unmarshal(want, &ttl), step)
		require.InDelta(t, ttl, got, 1, step)
		return
	}
	text, err := json.Marshal(got)
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(text), step)
}

// keyspace is the part of a server that the recordings need: cells with their expiry.
type keyspace map[string]*cell

type cell struct{ tat, expiresAt int64 } // ns; ms, 0 for never

func (ks keyspace) do(t *testing.T, now int64, cmd []string) any {
	t.Helper()
	// Rounded up, so that a relative expiry never ends early.
	key, ms := cmd[1], exact.CeilDiv(now, 1e6)
	c := ks[key]
	if c != nil && c.expiresAt != 0 && c.expiresAt <= now/1e6 {
		delete(ks, key)
		c = nil
	}
	switch cmd[0] {
	case "CL.THROTTLE":
		return ks.throttle(now, cmd)
	case "EXISTS":
		return count(c != nil)
	case "DEL":
		delete(ks, key)
		return count(c != nil)
	case "TYPE":
		if c == nil {
			return map[string]string{"s": "none"}
		}
		return map[string]string{"s": "string"}
	case "GET":
		if c == nil {
			return nil
		}
		return strconv.FormatInt(c.tat, 10)
	case "TTL", "PTTL":
		return c.ttl(ms, cmd[0] == "TTL")
	case "PEXPIRE":
		wait, err := strconv.ParseInt(cmd[2], 10, 64)
		require.NoError(t, err)
		if c != nil {
			c.expiresAt = ms + wait
		}
		return count(c != nil)
	case "PERSIST":
		had := c != nil && c.expiresAt != 0
		if had {
			c.expiresAt = 0
		}
		return count(had)
	}
	require.FailNow(t, "a command the replay does not know", cmd[0])
	return nil
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

func (c *cell) ttl(ms int64, seconds bool) int64 {
	switch {
	case c == nil:
		return -2
	case c.expiresAt == 0:
		return -1
	case seconds:
		return (c.expiresAt - ms + 500) / 1000
	}
	return c.expiresAt - ms
}

func (ks keyspace) throttle(now int64, cmd []string) any {
	args, err := parseThrottle(cmd)
	if err != nil {
		return cellError(err)
	}
	q, err := NewQuota(args[0], args[1], args[2])
	if err != nil {
		return cellError(err)
	}
	var tat int64
	if c := ks[cmd[1]]; c != nil {
		tat = c.tat
	}
	d, err := q.Decide(tat, now, args[3])
	if err != nil {
		return cellError(err)
	}
	if d.Changed {
		ks[cmd[1]] = &cell{d.TAT, exact.CeilDiv(d.TAT, 1e6)}
	}
	return []int64{int64(count(d.Limited)), d.Limit, d.Remaining, seconds(d.RetryAfter), seconds(d.ResetAfter)}
}

// seconds returns nanoseconds as whole seconds, rounded up. -1 stays -1.
func seconds(ns int64) int64 {
	if ns == never {
		return never
	}
	return exact.CeilDiv(ns, nanosPerSecond)
}

func cellError(err error) any {
	return map[string]string{"e": "Cell error: Store error: " + err.Error()}
}

// parseThrottle reads max_burst, count, period and quantity. The default quantity is 1.
func parseThrottle(cmd []string) (args [4]int64, err error) {
	if len(cmd) != 5 && len(cmd) != 6 {
		return args, errors.New("Usage: cl.throttle <key> <max_burst> <count per period> <period> [<quantity>]")
	}
	args[3] = 1
	for i, text := range cmd[2:] {
		if args[i], err = strconv.ParseInt(text, 10, 64); err != nil {
			return args, fmt.Errorf("Couldn't parse as integer: %s", text)
		}
	}
	return args, nil
}
