package limits

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/randtest"
	"cellserver/limiters/rules"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestRelease: nobody settles a reservation, and it is given back at its end, in every scope.
func TestRelease(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_040_000_000_000)
	h.Do("CL.RULE SET r SCOPE org CL.WINDOW 100 3600 AND SCOPE user CL.WINDOW 70 3600 AND SCOPE user CL.LOG 80 3600")
	h.Want("CL.RESERVE r acme ann 60 a 30 RELEASE", []any{0, 70, 10, -1, 3600})
	h.Want("CL.RESERVE r acme ann 60 a 30 RELEASE", []any{0, 70, 10, -1, 3600})
	h.Want("CL.RESERVE r acme bob 30 b 60 release ms", []any{0, 100, 10, -1, 3600000})
	h.Advance(30*time.Second - 1)
	h.Want("CL.CHECK r acme ann 0", []any{0, 100, 10, -1, 3571})
	h.Advance(1)
	h.Want("CL.CHECK r acme eve 0 PEEK", []any{0, 100, 70, -1, 3570})
	h.Want("GET r@org:{acme}:window", "30")
	h.Want("CL.SETTLE r acme ann a 1", rules.ErrNoReservation)
	h.Want("EXISTS r@user:{ann}:release r@user:{ann}:log", 2)
	h.Want("CL.CHECK r acme ann 0", []any{0, 100, 70, -1, 3570})
	h.Want("EXISTS r@user:{ann}:release r@user:{ann}:log", 0)
	h.Want("CL.SETTLE r acme bob b 5", []any{0, 70, 65, -1, 3570})
	h.Want("EXISTS r@user:{bob}:release r@org:{acme}:release", 0)
	h.Advance(60 * time.Second)
	h.Want("CL.CHECK r acme bob 0", []any{0, 70, 65, -1, 3510})
	h.Want("CL.MCHECK 2 r acme r bob QUANTITY 65", []any{0, -1, []any{0, 70, 0, -1, 3510}})
}

// TestReleaseErrors: where RELEASE may not be, and what else may be in its key.
func TestReleaseErrors(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r CL.WINDOW 100 3600")
	h.Want("CL.SETTLE r k a 1 RELEASE", commands.Error("ERR syntax error: 'RELEASE' is not an option of CL.SETTLE: use MS, PEEK"))
	h.Want("CL.CHECK r k 1 RELEASE", commands.Error("ERR syntax error: 'RELEASE' is not an option of CL.CHECK: use MS, PEEK, CHARGE, EXPLAIN"))
	h.Want("CL.RESERVE r k 1 a 1 RELEASE RELEASE", commands.Error("ERR syntax error: 'RELEASE' repeats"))
	h.Do("SET r:{k}:release text")
	h.Want("CL.RESERVE r k 1 a 1 RELEASE", commands.ErrWrongType)
	h.Want("CL.CHECK r k 0", []any{0, 100, 100, -1, 0})
	h.Do("ZADD r:{k}:other 1 m")
	h.Want("CL.CHECK r k 0", []any{0, 100, 100, -1, 0})
	h.Do("DEL r:{k}:release")
	h.Do("ZADD r:{k}:release -inf a 5 b 1e300 c +inf d")
	h.Want("CL.RESERVE r k 1 a 1 RELEASE", []any{0, 100, 99, -1, 3600})
	h.Want("CL.SETTLE r k a 1", []any{0, 100, 99, -1, 3600})
	h.Want("CL.RESERVE r k 0 b 1 RELEASE", []any{0, 100, 99, -1, 3600})
	h.Do("CL.RULE SET s CL.WINDOW 10 60 SHADOW")
	h.Want("CL.RESERVE s k 11 a 60 RELEASE", []any{0, 10, 10, -1, 0})
	h.Want("EXISTS s:{k}:release", 0)
}

// TestReleaseBound: too many reservations that wait for their release are an error, and nothing counts. The request that gives
// all of them back leaves nothing.
func TestReleaseBound(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE org CL.WINDOW 1000000 3600 AND SCOPE user CL.THROTTLE 99999 100000 3600")
	for i := range rules.MaxReleases {
		h.Do(fmt.Sprint("CL.RESERVE r acme u", i, " 1 id ", 60+i, " RELEASE"))
	}
	h.Want("CL.RESERVE r acme new 1 id 60 RELEASE", rules.ErrReleases)
	h.Want("EXISTS r@user:{new}:throttle", 0)
	h.Want("GET r@org:{acme}:window", fmt.Sprint(rules.MaxReleases))
	h.Want("CL.RESERVE r acme new 1 id 60", []any{0, 100000, 99999, -1, 1})
	h.Advance(61 * time.Second)
	h.Want("CL.RESERVE r acme new 1 id2 60 RELEASE", []any{0, 100000, 99999, -1, 1})
	h.Want("GET r@org:{acme}:window", fmt.Sprint(rules.MaxReleases))
	h.Advance(1200 * time.Second)
	h.Do("CL.CHECK r acme x 0")
	h.Want("GET r@org:{acme}:window", "1")
	h.Want("EXISTS r@org:{acme}:release", 0)
	h.Do("CL.RULE SET log CL.WINDOW 1000000 3600 AND CL.LOG 1000000 3600")
	for i := range rules.MaxLogReleases {
		h.Do(fmt.Sprint("CL.RESERVE log k 1 id", i, " 60 RELEASE"))
	}
	h.Want("CL.RESERVE log k 1 id 60 RELEASE", rules.ErrReleases)
}

// TestReleaseInATransaction: the releases of one transaction stay apart.
func TestReleaseInATransaction(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET r SCOPE a CL.WINDOW 10 60 AND SCOPE b CL.LOG 10 60")
	h.Do("MULTI")
	for _, line := range []string{"CL.RESERVE r x a}b 5 i 20 RELEASE", "CL.RESERVE r x a}b 2 j 40 RELEASE", "CL.SETTLE r x a}b i 3"} {
		h.Do(line)
	}
	h.Do("EXEC")
	h.Advance(30 * time.Second)
	h.Want("CL.CHECK r x a}b 0", []any{0, 10, 5, -1, 30})
	h.Advance(10 * time.Second)
	h.Want("CL.CHECK r x a}b 0", []any{0, 10, 7, -1, 20})
}

// TestReleaseAsIfOnTime runs the same requests on two servers. Something touches every key of one of them at each end of a
// reservation. All replies are the same.
func TestReleaseAsIfOnTime(t *testing.T) {
	r := rand.New(randtest.Source(t))
	limits := []string{"CL.WINDOW 9 5", "CL.WINDOW 30 20 ALIGN", "CL.SLIDING 12 6", "CL.LOG 10 7", "CL.LOG 15 9 RESOLUTION 2", "CL.THROTTLE 9 20 10", "CL.THROTTLE 29 30 40"}
	histories := 60
	if testing.Short() {
		histories = 10
	}
	for range histories {
		lazy, eager := servertest.New(t), servertest.New(t)
		both := func(line string) any {
			want := eager.Do(line)
			require.Equal(t, want, lazy.Do(line), "%s at %d", line, lazy.Clock.Time)
			return want
		}
		rule := "CL.RULE SET r SCOPE org " + limits[r.IntN(len(limits))] + " AND SCOPE user " + limits[r.IntN(len(limits))]
		both(rule + " AND SCOPE user " + limits[r.IntN(len(limits))])
		var ends []int64
		lines, users := []string{}, []string{"ann", "bob"}
		for step := range 120 {
			next := lazy.Clock.Time + r.Int64N(2e9)
			for slices.Sort(ends); len(ends) > 0 && ends[0] <= next; ends = ends[1:] {
				eager.Clock.Time = ends[0]
				for _, user := range users {
					eager.Do("CL.CHECK r acme " + user + " 0 PEEK")
				}
			}
			lazy.Clock.Time, eager.Clock.Time = next, next
			keys := "acme " + users[r.IntN(len(users))]
			switch r.IntN(4) {
			case 0:
				both(fmt.Sprint("CL.CHECK r ", keys, " ", r.IntN(5), " EXPLAIN MS"))
			case 1:
				if len(lines) > 0 {
					both(fmt.Sprint(strings.Replace(lines[r.IntN(len(lines))], "RESERVE", "SETTLE", 1), " ", r.IntN(9), " MS"))
				}
			default:
				ttl := 1 + r.Int64N(15e9)
				line := fmt.Sprint("CL.RESERVE r ", keys, " ")
				both(fmt.Sprint(line, 1+r.IntN(6), " id", step, " ", asDecimal(ttl), " RELEASE MS"))
				lines, ends = append(lines, fmt.Sprint(line, "id", step)), append(ends, next+ttl)
			}
		}
	}
}
