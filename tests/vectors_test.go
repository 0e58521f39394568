package tests

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// A story is a recording of redis-cell 0.5.0 under a controlled clock, from an empty keyspace. In a reply, {"e": text}
// is an error and {"s": text} is a simple string.
type story struct {
	Scenario int
	Steps    []struct {
		Now   int64
		Cmd   []string
		Reply json.RawMessage
	}
}

// TestVectors replays every recording over the wire, in both versions of the protocol.
func TestVectors(t *testing.T) { replayStories(t, vectorsPath(t)) }

// TestVectorsKept replays the recordings in the repository.
func TestVectorsKept(t *testing.T) {
	replayStories(t, filepath.Join(root(t), "gcra", "testdata", "cl-throttle.jsonl"))
}

// vectorsPath finds the recordings beside the repository.
func vectorsPath(t *testing.T) string {
	if path := os.Getenv("CELLSERVER_VECTORS"); path != "" {
		return path
	}
	for dir := root(t); dir != filepath.Dir(dir); dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "shared", "vectors", "cl-throttle.jsonl")
		if _, err := os.Stat(path); err == nil {
			return path
		}
	}
	skip(t, "no shared/vectors/cl-throttle.jsonl in any directory above: CELLSERVER_VECTORS names it")
	return ""
}

// skip skips the test, or fails it if CELLSERVER_NO_SKIP forbids skips.
func skip(t *testing.T, why string) {
	t.Helper()
	if os.Getenv("CELLSERVER_NO_SKIP") == "1" {
		t.Fatal(why)
	}
	t.Skip(why)
}

// TestVectorsThroughASidecar replays them through a sidecar. Its accounts answer, because another client moves the clock:
// DEBUG gives a client a connection to the hub of its own.
func TestVectorsThroughASidecar(t *testing.T) {
	hub := startServer(t)
	addr := startServer(t, "--upstream", hub, "--upstream-timeout", "10000") // a loaded machine may take 100 ms
	replayStoriesAt(t, vectorsPath(t), addr, func(t *testing.T, c *resptest.Client, s story) {
		clock := resptest.Dial(t, addr)
		defer clock.Close()
		require.Equal(t, resptest.Simple("OK"), c.Do("FLUSHALL"))
		for i, step := range s.Steps {
			where := fmt.Sprintf("scenario %d, step %d: %q at %d", s.Scenario, i, step.Cmd, step.Now)
			require.Equal(t, resptest.Simple("OK"), clock.Do("DEBUG", "CLOCK", "SET", step.Now), where)
			requireRecorded(t, step.Cmd[0], step.Reply, c.Do(argsOf(step.Cmd)...), where)
		}
	})
	passed := resptest.Dial(t, addr).Do("INFO", "sidecar").(string)
	require.NotContains(t, passed, "passed:0\r\n")
}

func replayStories(t *testing.T, path string) { replayStoriesAt(t, path, startServer(t), replay) }

func replayStoriesAt(t *testing.T, path, addr string, replay func(*testing.T, *resptest.Client, story)) {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NotEmpty(t, text)
	for _, proto := range []int{2, 3} {
		t.Run(fmt.Sprintf("RESP%d", proto), func(t *testing.T) {
			c := resptest.Dial(t, addr)
			c.Do("HELLO", proto)
			// The clock goes back between stories. Active expiry of the story before would remove keys of the next
			// story as expired.
			require.Equal(t, resptest.Simple("OK"), c.Do("DEBUG", "SET-ACTIVE-EXPIRE", 0))
			require.Equal(t, resptest.Simple("RESET"), c.Do("RESET"))
			c.Do("HELLO", proto)
			for line := range bytes.Lines(text) {
				var s story
				require.NoError(t, json.Unmarshal(line, &s))
				replay(t, c, s)
			}
		})
	}
}

// replay sends a story in one write, and compares reply by reply.
func replay(t *testing.T, c *resptest.Client, s story) {
	request := resptest.Command("FLUSHALL")
	for _, step := range s.Steps {
		request = append(request, resptest.Command("DEBUG", "CLOCK", "SET", step.Now)...)
		request = append(request, resptest.Command(argsOf(step.Cmd)...)...)
	}
	c.Write(request)
	require.Equal(t, resptest.Simple("OK"), c.Recv())
	for i, step := range s.Steps {
		where := fmt.Sprintf("scenario %d, step %d: %q at %d", s.Scenario, i, step.Cmd, step.Now)
		require.Equal(t, resptest.Simple("OK"), c.Recv(), where)
		requireRecorded(t, step.Cmd[0], step.Reply, c.Recv(), where)
	}
}

func argsOf(words []string) (args []any) {
	for _, word := range words {
		args = append(args, word)
	}
	return args
}

// requireRecorded compares a reply with the recorded one. A time to live may differ by 1.
func requireRecorded(t *testing.T, command string, want json.RawMessage, got any, where string) {
	t.Helper()
	if command == "TTL" || command == "PTTL" {
		var ttl int64
		require.NoError(t, json.Unmarshal(want, &ttl), where)
		require.IsType(t, ttl, got, where)
		require.InDelta(t, ttl, got, 1, where)
		return
	}
	text, err := json.Marshal(recorded(got))
	require.NoError(t, err)
	require.JSONEq(t, string(want), string(text), where)
}

// recorded returns a reply in the form of the recordings.
func recorded(reply any) any {
	switch v := reply.(type) {
	case resptest.Error:
		return map[string]string{"e": string(v)}
	case resptest.Simple:
		return map[string]string{"s": string(v)}
	case resptest.Nil:
		return nil
	}
	return reply
}
