package limits_test

import (
	"fmt"
	"math/rand/v2"
	"testing"
	"time"

	"cellserver/internal/randtest"
	"cellserver/limiters/ruleset"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

func TestTry(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.RULE TRY api CL.WINDOW 2 60", ruleset.NoRule("api"))
	h.Do("CL.RULE SET api CL.WINDOW 2 60")
	h.Do("CL.CHECK api ann")
	h.Want("CL.RULE TRY api CL.WINDOW 1 60", []any{0, 0, 0, 0, 0}) // it keeps requests from now on
	for range 3 {
		h.Do("CL.CHECK api ann")
	}
	h.Do("CL.CHECK api bob 2")
	h.Do("CL.CHECK api bob 1 PEEK")
	h.Do("CL.CHECK api bob 0")
	h.Do("CL.CHECK api bob CHARGE")
	h.Do("CL.MCHECK 1 api eve")
	h.Do("CL.RESERVE api eve 1 id 60")
	h.Advance(10 * time.Second)
	// ann had 1 before. bob's charge counts in any case, and is refused by the limit.
	h.Want("CL.RULE TRY api CL.WINDOW 2 60", []any{10000, 7, 3, 2, 2})
	h.Want("CL.RULE TRY api CL.WINDOW 1 60", []any{10000, 7, 3, 2, 4})
	h.Want("CL.RULE TRY api CL.THROTTLE 99 1 1 AND CL.SLIDING 99 1 SHADOW", []any{10000, 7, 3, 2, 0})
	h.Want("CL.RULE TRY api CL.NO 1", h.Do("CL.RULE SET api CL.NO 1"))
	h.Want("CL.RULE TRY api SCOPE org CL.WINDOW 1 60", ruleset.ErrTrialScopes)
	h.Want("CL.RULE GET api", "CL.WINDOW 2 60")
	h.Want("GET api:{bob}:window", "3")

	h.Advance(55 * time.Second)
	h.Want("CL.RULE TRY api CL.WINDOW 1 60", []any{60000, 0, 0, 0, 0})
	h.Advance(121 * time.Second)
	h.Do("CL.CHECK api ann")
	h.Want("CL.RULE TRY api CL.WINDOW 1 60", []any{0, 0, 0, 0, 0}) // nobody has tried for two minutes
}

// TestTryDefault: each name counts for itself, also in a replay.
func TestTryDefault(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET default CL.WINDOW 2 60")
	h.Want("CL.RULE TRY default CL.WINDOW 1 60", []any{0, 0, 0, 0, 0})
	h.Want("CL.RULE TRY search CL.WINDOW 1 60", ruleset.NoRule("search"))
	for _, name := range []string{"search", "upload", "default", "search"} {
		h.Do("CL.CHECK " + name + " ann")
	}
	h.Want("CL.RULE TRY default CL.WINDOW 1 60", []any{0, 4, 0, 0, 1})
}

// TestTryKnowsTheRulesInForce: also if nobody has asked a rule since they changed. The time before the first request counts.
func TestTryKnowsTheRulesInForce(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET api CL.WINDOW 2 60")
	h.Do("CL.CHECK api ann")
	h.Do("CL.RULE DEL api")
	h.Want("CL.RULE TRY api CL.WINDOW 1 60", ruleset.NoRule("api"))
	h.Do("CL.RULE SET web CL.WINDOW 2 60")
	h.Want("CL.RULE TRY web CL.WINDOW 1 60", []any{0, 0, 0, 0, 0})
	h.Advance(20 * time.Second)
	h.Want("CL.RULE TRY web CL.WINDOW 1 60", []any{20000, 0, 0, 0, 0})
	h.Do("CL.CHECK web ann")
	h.Want("CL.RULE TRY web CL.WINDOW 1 60", []any{20000, 1, 0, 0, 0})
	h.Do("MULTI")
	h.Do("CL.RULE SET new CL.WINDOW 1 60")
	h.Do("CL.RULE TRY new CL.WINDOW 1 60")
	h.Do("CL.RULE DEL web")
	h.Do("CL.RULE TRY web CL.WINDOW 1 60")
	h.Want("EXEC", []any{servertest.OK, []any{0, 0, 0, 0, 0}, 1, ruleset.NoRule("web")})
}

// TestTryIsBounded: the number of recordings is bounded, and so is the number of requests of each.
func TestTryIsBounded(t *testing.T) {
	h := servertest.New(t)
	for i := range ruleset.MaxRecordings + 1 {
		h.Do(fmt.Sprintf("CL.RULE SET r%d CL.WINDOW 1 60", i))
	}
	for i := range ruleset.MaxRecordings {
		h.Want(fmt.Sprintf("CL.RULE TRY r%d CL.WINDOW 1 60", i), []any{0, 0, 0, 0, 0})
	}
	last := fmt.Sprintf("CL.RULE TRY r%d CL.WINDOW 1 60", ruleset.MaxRecordings)
	h.Want(last, ruleset.ErrRecordings)
	for i := range ruleset.RecordedRequests + 1000 {
		h.Advance(time.Millisecond)
		h.Do(fmt.Sprintf("CL.CHECK r0 user:%d", i%1000))
	}
	got := h.Do("CL.RULE TRY r0 CL.WINDOW 2 60").([]any)
	require.Equal(t, []any{int64(ruleset.RecordedRequests - 1), int64(ruleset.RecordedRequests), int64(ruleset.RecordedRequests)}, got[:3])
	require.Equal(t, []any{int64(ruleset.RecordedRequests - 1000), int64(ruleset.RecordedRequests - 2000)}, got[3:])
	h.Advance(121 * time.Second)
	h.Want(last, []any{0, 0, 0, 0, 0})
}

// TestTryIsWhatWouldHaveBeen: a trial refuses as many requests as a server with these limits from the beginning.
func TestTryIsWhatWouldHaveBeen(t *testing.T) {
	random := rand.New(randtest.Source(t))
	limits := []string{"CL.THROTTLE 3 20 10", "CL.WINDOW 6 10", "CL.SLIDING 5 7", "CL.LOG 4 9", "CL.LOG 4 9 STRICT", "CL.THROTTLE 9 1 1 AND CL.WINDOW 5 60", "CL.WINDOW 9 60 SHADOW"}
	for range 20 {
		present, other := limits[random.IntN(len(limits))], limits[random.IntN(len(limits))]
		real, would := servertest.New(t), servertest.New(t)
		real.Do("CL.RULE SET api " + present)
		would.Do("CL.RULE SET api " + other)
		for _, h := range []*servertest.Harness{real, would} {
			h.At(1_800_000_000_000_000_000)
			h.Do("CL.RULE TRY api CL.WINDOW 1 60")
		}
		asked := 0
		for range 300 {
			step := time.Duration(random.Int64N(int64(350 * time.Millisecond)))
			if asked++; random.IntN(10) == 0 {
				step = 0
			}
			request := fmt.Sprintf("CL.CHECK api user:%d %d", random.IntN(6), 1+random.IntN(3))
			if random.IntN(8) == 0 {
				request += " CHARGE"
			}
			for _, h := range []*servertest.Harness{real, would} {
				h.Advance(step)
				h.Do(request)
			}
		}
		first := real.Do("CL.RULE TRY api " + other)
		require.IsType(t, []any{}, first, "%s instead of %s: %v", other, present, first)
		got, want := first.([]any), would.Do("CL.RULE TRY api "+present).([]any)
		if got[0] == int64(60000) {
			continue // older requests have effects, too
		}
		require.Equal(t, got[2], got[3], "%s: a replay of the same limits refuses the same", present)
		require.Equal(t, want[2], got[4], "%s instead of %s", other, present)
		require.Equal(t, []any{got[4], got[3]}, []any{want[3], want[4]})
	}
}
