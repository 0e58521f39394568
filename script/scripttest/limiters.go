package scripttest

import (
	"crypto/sha1"
	"encoding/hex"
)

// Limiter is a script with the arguments of a call that is allowed.
type Limiter struct {
	Library string // the library that makes these calls
	Source  string
	Keys    int
	Args    []string
}

// SHA is the name of the script for EVALSHA.
func (l *Limiter) SHA() string {
	sum := sha1.Sum([]byte(l.Source))
	return hex.EncodeToString(sum[:])
}

// Limiters are the scripts.
var Limiters = []Limiter{
	{"ulule", fixedWindow, 1, []string{"1", "60000"}},
	{"rate-limiter-flexible", pointsOfDuration, 1, []string{"1", "60"}},
	{"redis_rate", cellRate, 1, []string{"1000000", "1000000", "60", "1"}},
	{"Spring Cloud Gateway", tokenBucket, 2, []string{"1000000", "2000000", "1"}},
}

// fixedWindow counts in a window that the first call opens: count, milliseconds.
const fixedWindow = `
local used = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = tonumber(ARGV[2])
if used > tonumber(ARGV[1]) then
  left = redis.call('PTTL', KEYS[1])
elseif left > 0 then
  redis.call('PEXPIRE', KEYS[1], left)
end
return {used, left}`

// pointsOfDuration counts points in a window of seconds: points, seconds.
const pointsOfDuration = `
redis.call('SET', KEYS[1], 0, 'EX', ARGV[2], 'NX')
local points = redis.call('INCRBY', KEYS[1], ARGV[1])
local left = redis.call('PTTL', KEYS[1])
if left < 0 then
  redis.call('EXPIRE', KEYS[1], ARGV[2])
  left = 1000 * ARGV[2]
end
return {points, left}`

// cellRate is GCRA over the server's clock: burst, rate, period, cost.
const cellRate = `
redis.replicate_commands()
local interval = tonumber(ARGV[3]) / tonumber(ARGV[2])
local tolerance = interval * tonumber(ARGV[1])
local cost = tonumber(ARGV[4])
local time = redis.call('TIME')
local now = tonumber(time[1]) - 1500000000 + tonumber(time[2]) / 1000000
local tat = redis.call('GET', KEYS[1])
tat = tat and math.max(tonumber(tat), now) or now
local after = tat + interval * cost
local room = (now - after + tolerance) / interval
if room < 0 then
  return {0, 0, tostring(after - tolerance - now), tostring(tat - now)}
end
if after > now then
  redis.call('SET', KEYS[1], after, 'EX', math.ceil(after - now))
end
return {cost, room, tostring(-1), tostring(after - now)}`

// tokenBucket keeps tokens and the time of their last refill in two keys: rate, capacity, requested.
const tokenBucket = `
redis.replicate_commands()
local rate, capacity, wanted = tonumber(ARGV[1]), tonumber(ARGV[2]), tonumber(ARGV[3])
local now = tonumber(redis.call('TIME')[1])
local life = math.floor(2 * capacity / rate)
local tokens = tonumber(redis.call('GET', KEYS[1])) or capacity
local refilled = tonumber(redis.call('GET', KEYS[2])) or 0
tokens = math.min(capacity, tokens + rate * math.max(0, now - refilled))
local allowed = 0
if tokens >= wanted then
  tokens, allowed = tokens - wanted, 1
end
if life > 0 then
  redis.call('SETEX', KEYS[1], life, tokens)
  redis.call('SETEX', KEYS[2], life, now)
end
return {allowed, tokens}`
