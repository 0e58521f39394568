package scripting

import (
	"testing"

	"cellserver/resp/resptest"
	"cellserver/script"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// libraries are scripts of rate-limit libraries, with their arguments.
var libraries = []struct {
	name, source string
	args         []any
}{
	{"ulule", `local key = KEYS[1]
local count = tonumber(ARGV[1])
local ttl = tonumber(ARGV[2])
local ret = redis.call("incrby", key, ARGV[1])
if ret == count then
	if ttl > 0 then redis.call("pexpire", key, ARGV[2]) end
	return {ret, ttl}
end
ttl = redis.call("pttl", key)
return {ret, ttl}`, []any{"1", "60000"}},
	{"rate-limiter-flexible", `redis.call('set', KEYS[1], 0, 'EX', ARGV[2], 'NX') local consumed = redis.call('incrby', KEYS[1], ARGV[1])
local ttl = redis.call('pttl', KEYS[1]) if ttl == -1 then redis.call('expire', KEYS[1], ARGV[2]) ttl = 1000 * ARGV[2] end
return {consumed, ttl}`, []any{"1", "60"}},
}

func request(h *servertest.Harness, source string, args []any) []byte {
	require.Len(h.T, h.Do("SCRIPT", "LOAD", source), 40)
	return resptest.Command(append([]any{"EVALSHA", script.SHA([]byte(source)), 1, "user:1"}, args...)...)
}

// TestScriptsAllocateLittle: most of the garbage of a server that runs scripts would be theirs.
func TestScriptsAllocateLittle(t *testing.T) {
	for _, c := range libraries {
		h := servertest.New(t)
		sent := request(h, c.source, c.args)
		servertest.Exchange(t, h.Session, sent)
		require.LessOrEqual(t, testing.AllocsPerRun(1000, func() { servertest.Exchange(t, h.Session, sent) }), 10.0, c.name)
	}
}

// BenchmarkEvalsha measures scripts from the request to the reply.
func BenchmarkEvalsha(b *testing.B) {
	for _, c := range libraries {
		b.Run(c.name, func(b *testing.B) {
			h := servertest.New(b)
			sent := request(h, c.source, c.args)
			b.ReportAllocs()
			for b.Loop() {
				servertest.Exchange(b, h.Session, sent)
			}
		})
	}
}
