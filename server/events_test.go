package server_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// events subscribes a client to all keyspace events. The returned function runs a command and
// returns its events, as "event key".
func events(t *testing.T, directives ...string) (h *servertest.Harness, run func(line string) []string) {
	h = servertest.New(t, directives...)
	listener := h.NewClient(t)
	listener.Do("PSUBSCRIBE __keyevent@0__:*")
	return h, func(line string) (all []string) {
		h.Do(line)
		for _, push := range listener.TakePushes() {
			message := push.([]any)
			all = append(all, strings.TrimPrefix(message[2].(string), "__keyevent@0__:")+" "+message[3].(string))
		}
		return all
	}
}

func TestKeyspaceEventsAreOffByDefault(t *testing.T) {
	h, run := events(t)
	require.Empty(t, run("SET k v"))
	h.Want("CONFIG SET notify-keyspace-events E$", servertest.OK)
	h.Want("CONFIG GET notify-keyspace-events", []string{"notify-keyspace-events", "$E"})
	require.Equal(t, []string{"set k"}, run("SET k v EX 10"))
	h.Want("CONFIG SET notify-keyspace-events A", servertest.OK)
	require.Empty(t, run("SET k v"), "there is no channel")
	h.Want("CONFIG SET notify-keyspace-events KA", servertest.OK)
	require.Empty(t, run("SET k v"))
}

// TestLettersWithoutEvents: the log says which letters of Redis publish nothing here, once for each change.
func TestLettersWithoutEvents(t *testing.T) {
	var log bytes.Buffer
	h := servertest.NewAt(t, &servertest.Edge{Log: &log}, "--notify-keyspace-events", "KEAn")
	told := func() string {
		defer log.Reset()
		_, text, _ := strings.Cut(log.String(), "notify-keyspace-events have no events here, and are ignored")
		return text
	}
	require.Equal(t, "\" letters=n\n", told())
	for _, c := range [][2]string{{"KEAn", ""}, {"KEA", ""}, {"Em", "\" letters=m\n"}, {"KEtd", "\" letters=td\n"}, {"KE$lshzxeg", ""}, {"", ""}} {
		h.Want("CONFIG SET notify-keyspace-events '"+c[0]+"'", servertest.OK)
		require.Equal(t, c[1], told(), c[0])
	}
}

func TestKeyspaceEventsOfLimiters(t *testing.T) {
	h, run := events(t, "--notify-keyspace-events", "KEA")
	for _, c := range []struct {
		line string
		want []string
	}{
		{"CL.THROTTLE rate 0 1 60", []string{"set rate", "expire rate"}},
		{"CL.WINDOW window 1 60", []string{"set window", "expire window"}},
		{"CL.LOG log 1 60", []string{"zadd log", "expire log"}},
		{"CL.ACQUIRE lease 1 60 me", []string{"zadd lease", "expire lease"}},
		{"CL.RELEASE lease me", []string{"zrem lease", "del lease"}},
		{"CL.RULE SET r CL.LOG 1 60", nil},
		{"CL.THROTTLE rate 0 1 60", nil}, // limited
	} {
		require.Equal(t, c.want, run(c.line), c.line)
	}
	h.Advance(time.Hour)
	require.Equal(t, []string{"set rate", "expire rate"}, run("CL.THROTTLE rate 0 1 60"), "an expired TAT is overwritten")
	require.Equal(t, []string{"expired log", "zadd log", "expire log"}, run("CL.LOG log 1 60"))
}

func TestKeyspaceEventsOfIncrex(t *testing.T) {
	_, run := events(t, "--notify-keyspace-events", "KEA")
	require.Equal(t, []string{"incrby n", "expire n"}, run("INCREX n EX 60"))
	require.Equal(t, []string{"incrby n"}, run("INCREX n EX 60 ENX"))
	require.Equal(t, []string{"incrby n", "persist n"}, run("INCREX n PERSIST"))
	require.Equal(t, []string{"incrby n"}, run("INCREX n PERSIST"))
	require.Equal(t, []string{"incrbyfloat n"}, run("INCREX n BYFLOAT 1.5"))
	require.Equal(t, []string{"del n"}, run("INCREX n BYFLOAT 1 PXAT 1"))
	require.Empty(t, run("INCREX n UBOUND 0"))
}

func TestEvictedKeysHaveAnEvent(t *testing.T) {
	h, run := events(t, "--notify-keyspace-events", "Ee", "--maxmemory", "1mb", "--maxmemory-policy", "allkeys-lru")
	require.Empty(t, run("SET first "+strings.Repeat("x", 100_000)))
	var all []string
	for i := range 30 {
		all = append(all, run("SET k"+string(rune('a'+i))+" "+strings.Repeat("x", 100_000))...)
	}
	require.NotEmpty(t, all)
	for _, event := range all {
		require.True(t, strings.HasPrefix(event, "evicted "), event)
	}
	require.Contains(t, h.Info("stats"), "evicted_keys")
}
