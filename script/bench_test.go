package script_test

import (
	"testing"

	"cellserver/script"
)

// A counter is a caller whose answers cost nothing.
type counter struct{ n int64 }

func (c *counter) Call(args [][]byte, _ int) script.Reply {
	c.n++
	return script.Reply{Kind: script.Int, Int: c.n}
}
func (c *counter) Log(int, string)                       {}
func (c *counter) Allows([][]byte) (allowed, known bool) { return true, true }

// BenchmarkScripts runs scripts as limiters have them, with commands that cost nothing.
func BenchmarkScripts(b *testing.B) {
	for name, source := range map[string]string{
		"constant": "return 1",
		"ulule": `local key = KEYS[1]
local count = tonumber(ARGV[1])
local ttl = tonumber(ARGV[2])
local ret = redis.call("incrby", key, ARGV[1])
if ret == count then
	if ttl > 0 then redis.call("pexpire", key, ARGV[2]) end
	return {ret, ttl}
end
ttl = redis.call("pttl", key)
return {ret, ttl}`,
		"spring": `redis.replicate_commands()
local tokens_key, timestamp_key = KEYS[1], KEYS[2]
local rate, capacity, now, requested = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3]), tonumber(ARGV[4])
local fill_time = capacity / rate
local ttl = math.floor(fill_time * 2)
local last_tokens = tonumber(redis.call("get", tokens_key))
if last_tokens == nil then last_tokens = capacity end
local last_refreshed = tonumber(redis.call("get", timestamp_key))
if last_refreshed == nil then last_refreshed = 0 end
local delta = math.max(0, now - last_refreshed)
local filled_tokens = math.min(capacity, last_tokens + (delta * rate))
local allowed = filled_tokens >= requested
local new_tokens = filled_tokens
local allowed_num = 0
if allowed then
	new_tokens = filled_tokens - requested
	allowed_num = 1
end
if ttl > 0 then
	redis.call("setex", tokens_key, ttl, new_tokens)
	redis.call("setex", timestamp_key, ttl, now)
end
return { allowed_num, new_tokens }`,
		"loop": "local s = 0 for i = 1, 1000 do s = s + i % 7 end return s",
	} {
		b.Run(name, func(b *testing.B) {
			e := newEngine()
			s, err := e.Compile([]byte(source))
			if err != nil {
				b.Fatal(err)
			}
			r := script.Run{
				Keys: [][]byte{[]byte("key"), []byte("other")}, Caller: &counter{},
				Args: [][]byte{[]byte("10"), []byte("60"), []byte("1795000000"), []byte("1")},
			}
			b.ReportAllocs()
			for b.Loop() {
				if reply := e.Run(s, r); reply.Kind == script.Error {
					b.Fatalf("%s", reply.Text)
				}
			}
		})
	}
}
