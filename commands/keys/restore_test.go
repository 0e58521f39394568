package keys

import (
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// dumpOf returns the DUMP payload of a key.
func dumpOf(h *servertest.Harness, key string) string {
	h.T.Helper()
	return h.Do("DUMP", key).(string)
}

// restored runs RESTORE with a payload and options, and requires its reply.
func restored(h *servertest.Harness, reply any, key, ttl, payload string, options ...any) {
	h.T.Helper()
	call := append([]any{"RESTORE", key, ttl, payload}, options...)
	require.Equal(h.T, h.Wire(reply), h.Do(call...), "%q", call)
}

// DUMP payloads of the string v.
const (
	goldenText = "\x00\x01v\x0a\x00\x91\x08\xce\xb2\x19\x38\x8a\xce" // of Redis 7.0
	ourText    = "\x00\x01v\x09\x00\x41\xfa\x9f\x7e\x4d\xbe\xe9\x7f"
)

func TestRestore(t *testing.T) {
	h := servertest.New(t)
	restored(h, ok, "k", "0", goldenText)
	h.Want("GET k", "v")
	h.Want("PTTL k", -1)
	h.Want("SET n 12345678901 PX 50", ok)
	h.SortedSet("z", "a", "b", "c")
	restored(h, ok, "n2", "100", dumpOf(h, "n"))
	h.Want("INCR n2", 12345678902)
	h.Want("PTTL n2", 100)
	restored(h, ok, "z2", "1700000000200", dumpOf(h, "z"), "ABSTTL")
	h.Want("ZRANGE z2 0 -1 WITHSCORES", []string{"a", "0", "b", "1", "c", "2"})
	h.Want("PTTL z2", 77)
	h.Advance(time.Second)
	h.Want("EXISTS n2 z2", 0)
}

func TestRestoreReplaces(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET k old PX 100", ok)
	restored(h, errBusyKey, "k", "0", goldenText)
	h.Want("GET k", "old")
	restored(h, ok, "k", "0", goldenText, "replace")
	h.Want("GET k", "v")
	h.Want("PTTL k", -1)

	restored(h, ok, "k", "1", goldenText, "REPLACE", "ABSTTL")
	h.Want("EXISTS k", 0)
	restored(h, ok, "k", "1", goldenText, "ABSTTL")
	h.Want("EXISTS k", 0)
	restored(h, ok, "k", "9223372036854775807", goldenText)
	h.Want("EXISTS k", 0)
	restored(h, ok, "k", "9223372036854775807", goldenText, "ABSTTL")
	h.Want("PEXPIRETIME k", 9223372036854775807)
}

func TestRestoreErrors(t *testing.T) {
	h := servertest.New(t)
	h.Want("SET busy 1", ok)
	for _, c := range []struct {
		want         commands.Error
		key, ttl, of string
		options      []any
	}{
		{commands.ErrSyntax, "busy", "x", "", []any{"NX"}}, {commands.ErrSyntax, "k", "0", goldenText, []any{"IDLETIME"}}, {commands.ErrSyntax, "k", "0", goldenText, []any{"FREQ"}},
		{commands.ErrSyntax, "k", "0", goldenText, []any{"IDLETIME", "1", "FREQ", "1"}}, {commands.ErrSyntax, "k", "0", goldenText, []any{"FREQ", "1", "IDLETIME", "1"}},
		{commands.ErrNotInteger, "k", "0", goldenText, []any{"FREQ", "x"}}, {commands.ErrNotInteger, "k", "0", goldenText, []any{"IDLETIME", "x"}},
		{errIdleTime, "k", "0", goldenText, []any{"IDLETIME", "-1"}},
		{errFrequency, "k", "0", goldenText, []any{"FREQ", "-1"}}, {errFrequency, "k", "0", goldenText, []any{"FREQ", "256"}},
		{errBusyKey, "busy", "x", "", nil}, {commands.ErrNotInteger, "k", "x", "", nil}, {errTTL, "k", "-1", "", nil},
		{errPayload, "k", "0", "", nil}, {errPayload, "k", "0", goldenText[:12], nil}, {errPayload, "busy", "0", "x" + goldenText, []any{"REPLACE"}},
		{errBadFormat, "k", "0", "\x0f\x01\x01v\x09\x00\x94\x9b\x6e\xbe\x28\x02\xeb\x7a", nil}, // a stream
	} {
		restored(h, c.want, c.key, c.ttl, c.of, c.options...)
	}
	h.Want("RESTORE k 0", commands.WrongArity("restore").(commands.Error))
	h.Want("GET busy", "1")
	h.Want("EXISTS k", 0)
}

func TestRestoreOfUse(t *testing.T) {
	h := servertest.New(t)
	restored(h, ok, "k", "0", goldenText, "IDLETIME", "1000")
	h.Want("OBJECT IDLETIME k", 1000)
	restored(h, ok, "k", "0", goldenText, "REPLACE", "FREQ", "7")
	h.Want("OBJECT IDLETIME k", 0)
	restored(h, ok, "k", "0", goldenText, "REPLACE", "IDLETIME", "9223372036854775807")
	h.Want("OBJECT IDLETIME k", 16760832)
	h.Want("CONFIG SET maxmemory-policy allkeys-lfu", ok)
	h.Store.UseLFU(true)
	restored(h, ok, "k", "0", goldenText, "REPLACE", "FREQ", "100")
	h.Want("OBJECT FREQ k", 100)
	restored(h, ok, "k", "0", goldenText, "REPLACE")
	h.Want("OBJECT FREQ k", 5)
	restored(h, ok, "k", "0", goldenText, "REPLACE", "IDLETIME", "7")
	h.Want("OBJECT FREQ k", 5)
}

// TestRestoreIsLoggedAsFacts: the effects of RESTORE delete the key and set its new value.
func TestRestoreIsLoggedAsFacts(t *testing.T) {
	h := servertest.New(t)
	h.SortedSet("z", "a")
	dumped := dumpOf(h, "z")
	var log recorder
	h.Store.Observe(&log)
	restored(h, ok, "z", "1000", dumped, "REPLACE")
	require.Equal(t, recorder{store.OpDel, store.OpStore, store.OpExpire}, log)
}

// recorder collects the kinds of effects.
type recorder []store.Op

func (r *recorder) Committed(_ *store.Tx, effects []store.Effect) {
	for _, e := range effects {
		*r = append(*r, e.Op)
	}
}

// TestRestoreAgreesWithRedis exchanges payloads with Redis, in both directions.
func TestRestoreAgreesWithRedis(t *testing.T) {
	redis := resptest.Dial(t, resptest.StartRedis(t))
	h := servertest.New(t)
	for _, fill := range [][]any{
		{"SET", "k", ""}, {"SET", "k", "007"}, {"SET", "k", "1700000000123456789"}, {"SET", "k", "-129"}, {"SETRANGE", "k", 70, "compressible"},
		{"ZADD", "k", "1.5", "a", "-inf", "b", "3", "12"}, {"ZADD", "k", "1e100", string(make([]byte, 100))},
	} {
		for _, side := range []func(...any) any{redis.Do, h.Do} {
			side("DEL", "k", "from ours", "from redis")
			side(fill...)
		}
		ours, theirs := dumpOf(h, "k"), redis.Do("DUMP", "k")
		read := []any{"GET", "k"}
		if fill[0] == "ZADD" {
			read = []any{"ZRANGE", "k", 0, -1, "WITHSCORES"}
		}
		want := redis.Do(read...)
		require.Equal(t, want, h.Do(read...), "%q", fill)
		for _, side := range []func(...any) any{redis.Do, h.Do} {
			for name, payload := range map[string]any{"from ours": ours, "from redis": theirs} {
				require.Equal(t, ok, side("RESTORE", name, 0, payload), "%q %s", fill, name)
				read[1] = name
				require.Equal(t, want, side(read...), "%q %s", fill, name)
			}
		}
	}
}
