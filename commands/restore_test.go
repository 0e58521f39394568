package commands

import (
	"testing"
	"time"

	"cellserver/resp/resptest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// dumpOf is DUMP's payload of a key.
func (h *harness) dumpOf(key string) string {
	h.t.Helper()
	return h.do("DUMP", key).(string)
}

// restored runs RESTORE of a payload with options, and requires its reply.
func (h *harness) restored(reply any, key, ttl, payload string, options ...any) {
	h.t.Helper()
	call := append([]any{"RESTORE", key, ttl, payload}, options...)
	require.Equal(h.t, h.wire(reply), h.do(call...), "%q", call)
}

// What DUMP gives for the string v.
const (
	goldenText = "\x00\x01v\x0a\x00\x91\x08\xce\xb2\x19\x38\x8a\xce" // in Redis 7.0
	ourText    = "\x00\x01v\x09\x00\x41\xfa\x9f\x7e\x4d\xbe\xe9\x7f"
)

func TestRestore(t *testing.T) {
	h := newHarness(t)
	h.restored(ok, "k", "0", goldenText)
	h.want("GET k", "v")
	h.want("PTTL k", -1)
	h.want("SET n 12345678901 PX 50", ok)
	h.sortedSet("z", "a", "b", "c")
	h.restored(ok, "n2", "100", h.dumpOf("n"))
	h.want("INCR n2", 12345678902)
	h.want("PTTL n2", 100)
	h.restored(ok, "z2", "1700000000200", h.dumpOf("z"), "ABSTTL")
	h.want("ZRANGE z2 0 -1 WITHSCORES", []string{"a", "0", "b", "1", "c", "2"})
	h.want("PTTL z2", 77)
	h.advance(time.Second)
	h.want("EXISTS n2 z2", 0)
}

func TestRestoreReplaces(t *testing.T) {
	h := newHarness(t)
	h.want("SET k old PX 100", ok)
	h.restored(errBusyKey, "k", "0", goldenText)
	h.want("GET k", "old")
	h.restored(ok, "k", "0", goldenText, "replace")
	h.want("GET k", "v")
	h.want("PTTL k", -1)

	h.restored(ok, "k", "1", goldenText, "REPLACE", "ABSTTL")
	h.want("EXISTS k", 0)
	h.restored(ok, "k", "1", goldenText, "ABSTTL")
	h.want("EXISTS k", 0)
	h.restored(ok, "k", "9223372036854775807", goldenText)
	h.want("EXISTS k", 0)
	h.restored(ok, "k", "9223372036854775807", goldenText, "ABSTTL")
	h.want("PEXPIRETIME k", 9223372036854775807)
}

func TestRestoreErrors(t *testing.T) {
	h := newHarness(t)
	h.want("SET busy 1", ok)
	for _, c := range []struct {
		want         Error
		key, ttl, of string
		options      []any
	}{
		{errSyntax, "busy", "x", "", []any{"NX"}}, {errSyntax, "k", "0", goldenText, []any{"IDLETIME"}}, {errSyntax, "k", "0", goldenText, []any{"FREQ"}},
		{errSyntax, "k", "0", goldenText, []any{"IDLETIME", "1", "FREQ", "1"}}, {errSyntax, "k", "0", goldenText, []any{"FREQ", "1", "IDLETIME", "1"}},
		{errNotInteger, "k", "0", goldenText, []any{"FREQ", "x"}}, {errNotInteger, "k", "0", goldenText, []any{"IDLETIME", "x"}},
		{errIdleTime, "k", "0", goldenText, []any{"IDLETIME", "-1"}},
		{errFrequency, "k", "0", goldenText, []any{"FREQ", "-1"}}, {errFrequency, "k", "0", goldenText, []any{"FREQ", "256"}},
		{errBusyKey, "busy", "x", "", nil}, {errNotInteger, "k", "x", "", nil}, {errTTL, "k", "-1", "", nil},
		{errPayload, "k", "0", "", nil}, {errPayload, "k", "0", goldenText[:12], nil}, {errPayload, "busy", "0", "x" + goldenText, []any{"REPLACE"}},
		{errBadFormat, "k", "0", "\x01\x01\x01v\x09\x00\x0b\xb4\x22\x76\x4f\x48\x70\xa9", nil}, // a list
	} {
		h.restored(c.want, c.key, c.ttl, c.of, c.options...)
	}
	h.want("RESTORE k 0", wrongArity("restore").(Error))
	h.want("GET busy", "1")
	h.want("EXISTS k", 0)
}

func TestRestoreOfUse(t *testing.T) {
	h := newHarness(t)
	h.restored(ok, "k", "0", goldenText, "IDLETIME", "1000")
	h.want("OBJECT IDLETIME k", 1000)
	h.restored(ok, "k", "0", goldenText, "REPLACE", "FREQ", "7")
	h.want("OBJECT IDLETIME k", 0)
	h.want("CONFIG SET maxmemory-policy allkeys-lfu", ok)
	h.server.Store.UseLFU(true)
	h.restored(ok, "k", "0", goldenText, "REPLACE", "FREQ", "100")
	h.want("OBJECT FREQ k", 100)
	h.restored(ok, "k", "0", goldenText, "REPLACE")
	h.want("OBJECT FREQ k", 5)
	h.restored(ok, "k", "0", goldenText, "REPLACE", "IDLETIME", "7")
	h.want("OBJECT FREQ k", 5)
}

// A log gets what RESTORE did as facts: the key anew.
func TestRestoreIsLoggedAsFacts(t *testing.T) {
	h := newHarness(t)
	h.sortedSet("z", "a")
	dumped := h.dumpOf("z")
	var log recorder
	h.server.Store.Observe(&log)
	h.restored(ok, "z", "1000", dumped, "REPLACE")
	require.Equal(t, recorder{store.OpDel, store.OpZStore, store.OpExpire}, log)
}

// recorder notes what kinds of effects there were.
type recorder []store.Op

func (r *recorder) Committed(_ *store.Tx, effects []store.Effect) {
	for _, e := range effects {
		*r = append(*r, e.Op)
	}
}

// Payloads go to the real Redis, and its own come here.
func TestRestoreAgreesWithRedis(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t))
	h := newHarness(t)
	for _, fill := range [][]any{
		{"SET", "k", ""}, {"SET", "k", "007"}, {"SET", "k", "1700000000123456789"}, {"SET", "k", "-129"}, {"SETRANGE", "k", 70, "compressible"},
		{"ZADD", "k", "1.5", "a", "-inf", "b", "3", "12"}, {"ZADD", "k", "1e100", string(make([]byte, 100))},
	} {
		for _, side := range []func(...any) any{redis.Do, h.do} {
			side("DEL", "k", "from ours", "from redis")
			side(fill...)
		}
		ours, theirs := h.dumpOf("k"), redis.Do("DUMP", "k")
		read := []any{"GET", "k"}
		if fill[0] == "ZADD" {
			read = []any{"ZRANGE", "k", 0, -1, "WITHSCORES"}
		}
		want := redis.Do(read...)
		require.Equal(t, want, h.do(read...), "%q", fill)
		for _, side := range []func(...any) any{redis.Do, h.do} {
			for name, payload := range map[string]any{"from ours": ours, "from redis": theirs} {
				require.Equal(t, ok, side("RESTORE", name, 0, payload), "%q %s", fill, name)
				read[1] = name
				require.Equal(t, want, side(read...), "%q %s", fill, name)
			}
		}
	}
}
