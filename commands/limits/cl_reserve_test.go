package limits

import (
	"encoding/hex"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/limiters/rules"
	"cellserver/limiters/ruleset"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestReserve: an estimate counts at once, and the real cost takes its place.
func TestReserve(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_040_000_000_000)
	h.Do("CL.RULE SET r CL.WINDOW 100 3600")
	h.Want("CL.RESERVE r k 60 a 30", []any{0, 100, 40, -1, 3600})
	h.Want("CL.RESERVE r k 60 a 30", []any{0, 100, 40, -1, 3600})
	h.Want("CL.RESERVE r k 50 b 30", []any{1, 100, 40, 3600, 3600})
	h.Want("CL.CHECK r k 0", []any{0, 100, 40, -1, 3600})
	h.Advance(time.Second)
	h.Want("CL.SETTLE r k a 20 PEEK", []any{0, 100, 80, -1, 3599})
	h.Want("CL.SETTLE r k a 20", []any{0, 100, 80, -1, 3599})
	h.Want("CL.SETTLE r k a 99 MS", []any{0, 100, 80, -1, 3599000})
	h.Want("CL.RESERVE r k 60 a 30", []any{0, 100, 40, -1, 3600})
	h.Want("CL.RESERVE r k 80 b 30", []any{0, 100, 0, -1, 3599})
	h.Want("CL.SETTLE r k b 90", []any{1, 100, -10, 3599, 3599})
	h.Want("CL.SETTLE r k c 1", rules.ErrNoReservation)
	h.Advance(30 * time.Second)
	h.Want("CL.SETTLE r k b 1", rules.ErrNoReservation)
	h.Want("CL.CHECK r k 0 CHARGE", []any{1, 100, -10, 3569, 3569})
	require.Equal(t, "allowed=2,limited=1,shadow_limited=0", h.Info("throttle")["rule_r"])
	h.Advance(40 * time.Second)
	h.Want("KEYS *:reserved*", []any{})
}

// TestNumberedBuckets: a numbered bucket has the reservation of 60 with the id a. It settles like any other
// reservation. Repeated requests get their first replies again, also after other reservations of the key.
func TestNumberedBuckets(t *testing.T) {
	const bucket = "r:{k}:reserved:a6"
	for bytes, settled := range map[string]bool{
		"007273760235000001010000000000000000003c4670945bd71861fc005847f80d78c85001fd004071618c06fc82ed1be603fd004071618c0600":                             false,
		"007273760235000001010000000000000000003c4670945bd71861fc005847f80d78c85001fd004071618c06fc82ed1be603fd004071618c06000e000100c8a001fd004071618c06": true,
	} {
		h := servertest.New(t)
		h.At(1_790_000_040_000_000_000)
		h.Do("CL.RULE SET r CL.WINDOW 100 3600")
		held, err := hex.DecodeString(bytes)
		require.NoError(t, err)
		h.Do("SET", bucket, held, "PXAT", 1_790_000_070_000)
		h.Do("SET", "r:{k}:window", map[bool]int{false: 60, true: 20}[settled], "PXAT", 1_790_003_640_000)
		h.Want("CL.RESERVE r k 60 a 30", []any{0, 100, 40, -1, 3600})
		h.Want("CL.RESERVE r k 0 other 30", []any{0, 100, map[bool]int{false: 40, true: 80}[settled], -1, 3600})
		h.Want("CL.SETTLE r k a 20", []any{0, 100, 80, -1, 3600})
		h.Want("EXISTS r:{k}:reserved", 1)
		require.Equal(t, settled, h.Do("GET", bucket) == string(held))
		h.Want("CL.RESERVE r k 60 a 30", []any{0, 100, 40, -1, 3600})
		h.Want("CL.SETTLE r k a 99", []any{0, 100, 80, -1, 3600})
		h.Want("PEXPIRETIME "+bucket, 1_790_000_070_000)
		h.Advance(31 * time.Second)
		h.Want("CL.SETTLE r k a 99", rules.ErrNoReservation)
	}
}

// TestIDOfOtherKeys: an id belongs to its keys, also if a user chooses a name that has the FNV-1a hash of another user's.
func TestIDOfOtherKeys(t *testing.T) {
	const other = "mallory0-\x08\x02\x00\x0b\x01\x0e\x01\x0b\x00\x06\x0c\x10\x02\x06" // the hash of "acme", with its length
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE user CL.WINDOW 100 3600 AND SCOPE all CL.WINDOW 1000 3600")
	h.Do("CL.RESERVE r acme all 60 1 30")
	h.Do("CL.CHECK", "r", other, "all", 60)
	require.EqualError(t, rules.ErrNoReservation, fmt.Sprint(h.Do("CL.SETTLE", "r", other, "all", 1, 0)))
	require.Equal(t, int64(0), h.Do("CL.RESERVE", "r", other, "all", 10, 1, 30).([]any)[0])
	h.Want("GET r@all:{all}:window", "130")
	h.Want("CL.SETTLE r acme all 1 20", []any{0, 100, 80, -1, 3600})
}

// TestSettle: what each limiter gives back, and what it charges.
func TestSettle(t *testing.T) {
	for _, c := range []struct {
		limiter                     string
		after                       time.Duration
		cost                        int
		limited, remaining, resetMS int64
	}{
		// 10 units of 6 s; after 12 s, 2 of the 8 reserved units are paid.
		{"CL.THROTTLE 9 10 60", 12 * time.Second, 8, 0, 4, 36000},
		{"CL.THROTTLE 9 10 60", 12 * time.Second, 5, 0, 7, 18000},
		{"CL.THROTTLE 9 10 60", 12 * time.Second, 2, 0, 10, 0},
		{"CL.THROTTLE 9 10 60", 12 * time.Second, 0, 0, 10, 0},
		{"CL.THROTTLE 9 10 60", 12 * time.Second, 13, 1, -1, 66000},
		{"CL.THROTTLE 9 10 60", 100 * time.Second, 0, 0, 10, 0},
		{"CL.WINDOW 10 60", 12 * time.Second, 5, 0, 5, 48000},
		{"CL.WINDOW 10 60", 12 * time.Second, 0, 0, 10, 0},
		{"CL.WINDOW 10 60", 12 * time.Second, 13, 1, -3, 48000},
		{"CL.WINDOW 10 60", 61 * time.Second, 13, 0, 10, 0},
		{"CL.SLIDING 10 60", 12 * time.Second, 5, 0, 5, 48000 + 48001},
		{"CL.SLIDING 10 60", 90 * time.Second, 4, 0, 8, 15001},
		{"CL.SLIDING 10 60", 90 * time.Second, 40, 1, -10, 28501},
		{"CL.SLIDING 10 60", 121 * time.Second, 40, 0, 10, 0},
		{"CL.LOG 10 60", 12 * time.Second, 5, 0, 5, 48000},
		{"CL.LOG 10 60", 12 * time.Second, 0, 0, 10, 0},
		{"CL.LOG 10 60", 12 * time.Second, 13, 1, -3, 48000},
		{"CL.LOG 10 60", 60 * time.Second, 13, 0, 10, 0},
		{"CL.LOG 10 60 RESOLUTION 10", 12 * time.Second, 5, 0, 5, 48000},
	} {
		name := fmt.Sprint(c.limiter, " after ", c.after, " ", c.cost)
		h := servertest.New(t)
		h.At(1_790_000_040_000_000_000)
		h.Do("CL.RULE SET r " + c.limiter)
		h.Do("CL.RESERVE r k 8 id 3600")
		h.Advance(c.after)
		reply := h.Do(fmt.Sprint("CL.SETTLE r k id ", c.cost, " MS")).([]any)
		require.Equal(t, []any{c.limited, int64(10), c.remaining}, reply[:3], name)
		require.Equal(t, c.resetMS, reply[4], name)
		require.Equal(t, reply[:3], h.Do("CL.CHECK r k 0 CHARGE").([]any)[:3], name)
	}
}

func TestReserveErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 100 3600")
	h.Do("CL.RULE SET s SCOPE a CL.WINDOW 100 3600 AND SCOPE b CL.WINDOW 100 3600")
	for line, want := range map[string]error{
		"CL.RESERVE r k 1 a":                                  commands.WrongArity("cl.reserve"),
		"CL.RESERVE s k k 1 a":                                commands.Error("ERR the rule s has the scopes a, b: give a key for each, in this order: wrong number of arguments for 'cl.reserve' command"),
		"CL.RESERVE r k x a 1":                                commands.Error("ERR quantity 'x' is not an integer or out of range"),
		"CL.RESERVE r k -1 a 1":                               commands.Error("ERR quantity '-1' must not be negative"),
		`CL.RESERVE r k 1 "" 1`:                               commands.Error("ERR id '' must be 1 to 128 bytes"),
		"CL.RESERVE r k 1 " + strings.Repeat("i", 129) + " 1": commands.Error("ERR id '" + strings.Repeat("i", 40) + "…' must be 1 to 128 bytes"),
		"CL.RESERVE r k 1 a 0":                                commands.Error("ERR ttl '0' must be positive, and at most 2592000 seconds"),
		"CL.RESERVE r k 1 a 2592000.1":                        commands.Error("ERR ttl '2592000.1' must be positive, and at most 2592000 seconds"),
		"CL.RESERVE r k 1 a x":                                commands.Error("ERR ttl 'x' is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals"),
		"CL.RESERVE r k 1 a 1 CHARGE":                         commands.Error("ERR syntax error: 'CHARGE' is not an option of CL.RESERVE: use MS, PEEK, EXPLAIN, RELEASE"),
		"CL.RESERVE none k 1 a 1":                             ruleset.NoRule("none"),
		"CL.SETTLE r k a":                                     commands.WrongArity("cl.settle"),
		"CL.SETTLE r k a -1":                                  commands.Error("ERR quantity '-1' must not be negative"),
		"CL.SETTLE r k a 1":                                   rules.ErrNoReservation,
		"CL.SETTLE none k a 1":                                ruleset.NoRule("none"),
	} {
		h.Want(line, want)
	}
	require.Zero(t, h.Do("DBSIZE"))
}

// TestManyReservations: 64 clients at once reserve and settle over three scopes, and repeat requests. Some reservations are
// lost, and some of these are given back. The totals are exact.
func TestManyReservations(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET llm SCOPE org CL.WINDOW 90000 3600 AND SCOPE team CL.SLIDING 50000 3600 AND SCOPE user CL.LOG 30000 3600")
	var total atomic.Int64
	together(h, func(c *servertest.Client, number int) {
		keys := fmt.Sprintf("acme t%d u%d", number%2, number%4)
		for i := range 30 {
			id := fmt.Sprint(number, "-", i)
			reserve, settle := fmt.Sprint("CL.RESERVE llm ", keys, " 9 ", id, " 60"), fmt.Sprint("CL.SETTLE llm ", keys, " ", id, " ", i%12)
			if i%2 == 0 {
				reserve += " RELEASE"
			}
			reply := c.Do(reserve).([]any)
			if reply[0] != int64(0) {
				total.Add(1 << 32) // nobody is refused
			}
			if i%3 == 0 {
				require.Equal(t, reply, c.Do(reserve))
			}
			if i%5 == 4 { // lost
				total.Add(9 * int64(i%2))
				continue
			}
			settled := c.Do(settle)
			if i%4 == 0 {
				require.Equal(t, settled, c.Do(settle))
			}
			total.Add(int64(i % 12))
		}
	})
	want := total.Load()
	h.Advance(time.Minute)
	used := func(keys string, scope int) int64 {
		one := h.Do("CL.CHECK llm " + keys + " 0 EXPLAIN").([]any)[7].([]any)[scope].([]any)
		return one[3].(int64) - one[4].(int64)
	}
	require.Equal(t, want, used("acme x x", 0))
	require.Equal(t, want, used("x t0 x", 1)+used("x t1 x", 1))
	require.Equal(t, want, used("x x u0", 2)+used("x x u1", 2)+used("x x u2", 2)+used("x x u3", 2))
}

// TestReserveAShadow: a shadow rule allows what it counts nowhere.
func TestReserveAShadow(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 10 60 SHADOW")
	h.Want("CL.RESERVE r k 11 a 60", []any{0, 10, 10, -1, 0})
	h.Want("CL.SETTLE r k a 8", []any{0, 10, 10, -1, 0})
	h.Want("CL.RESERVE r k 9 b 60", []any{0, 10, 1, -1, 60})
	h.Want("CL.SETTLE r k b 12", []any{0, 10, -2, -1, 60})
}

// TestReserveInATransaction: reservations and settlements of one transaction see each other.
func TestReserveInATransaction(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE a CL.WINDOW 10 60 AND SCOPE b CL.LOG 10 60")
	h.Do("MULTI")
	for _, line := range []string{"CL.RESERVE r x a}b 5 i 60", "CL.SETTLE r x a}b i 2", "CL.RESERVE r x a}b 9 j 60", "CL.RESERVE r x a}b 8 j 60"} {
		h.Do(line)
	}
	h.Want("EXEC", []any{[]any{0, 10, 5, -1, 60}, []any{0, 10, 8, -1, 60}, []any{1, 10, 8, 60, 60}, []any{0, 10, 0, -1, 60}})
}

// TestRepeatsAfterARuleWithScopes: in one transaction, a repeated reservation or settlement follows a request whose
// second scope was the tightest. It asks no limit, and its own rule has one scope.
func TestRepeatsAfterARuleWithScopes(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET two SCOPE org CL.WINDOW 100 60 AND SCOPE user CL.WINDOW 50 60")
	h.Do("CL.RULE SET one CL.WINDOW 10 60")
	for i, line := range []string{"CL.RESERVE one k 5 i 60", "CL.SETTLE one k i 12"} {
		answer := h.Do(line)
		h.Do("MULTI")
		h.Do("CL.CHECK two acme ann 1")
		h.Do(line)
		h.Do("INCR later")
		h.Want("EXEC", []any{[]any{0, 50, 49 - i, -1, 60}, answer, i + 1})
	}
}

// TestReserveBound: a full bucket is an error, and nothing counts.
func TestReserveBound(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 1000000000 60")
	n := 0
	for ; n < 300_000; n++ {
		if err, full := h.Do(fmt.Sprint("CL.RESERVE r k 1 ", n, " 60")).(error); full {
			require.EqualError(t, err, "ERR too many reservations of this key have not ended")
			break
		}
	}
	require.Greater(t, n, 100_000)
	require.LessOrEqual(t, n, 262_144+32)
	h.Want("GET r:{k}:window", fmt.Sprint(n))
	h.Advance(61 * time.Second)
	h.Want(fmt.Sprint("CL.RESERVE r k 1 ", n, " 60"), []any{0, 1000000000, 999999999, -1, 60})
}

// TestReserveExplain: EXPLAIN names the scope and the limit that refuse.
func TestReserveExplain(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE org CL.WINDOW 10 60 AND SCOPE user CL.WINDOW 7 60")
	for range 2 {
		h.Want("CL.RESERVE r acme ann 6 a 60 EXPLAIN", []any{0, 7, 1, -1, 60, "", ""})
	}
	h.Want("CL.RESERVE r acme ann 3 b 60 RELEASE EXPLAIN MS", []any{1, 7, 1, 60000, 60000, "user", "CL.WINDOW 7 60"})
	h.Want("CL.RESERVE r acme bob 5 c 60 explain", []any{1, 10, 4, 60, 60, "org", "CL.WINDOW 10 60"})
	h.Want("CL.SETTLE r acme ann a 1 EXPLAIN", commands.Error("ERR syntax error: 'EXPLAIN' is not an option of CL.SETTLE: use MS, PEEK"))
	h.Do("CL.RULE SET r SCOPE org CL.WINDOW 10 60 AND SCOPE user CL.WINDOW 7 60 SHADOW")
	h.Want("CL.RESERVE r acme ann 30 d 60 EXPLAIN", []any{0, 7, 1, -1, 60, "", ""})
}
