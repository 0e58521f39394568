package limits

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/internal/exact"
	"cellserver/internal/randtest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestClMwindow: all windows count their own quantities, or none does.
func TestClMwindow(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.MWINDOW 2 a 10 60 3 b 5 3600 2", []any{0, -1, []any{0, 10, 7, -1, 60}, []any{0, 5, 3, -1, 3600}})
	h.Want("CL.MWINDOW 2 a 10 60 3 b 5 3600 4", []any{1, 1, []any{0, 10, 7, -1, 60}, []any{1, 5, 3, 3600, 3600}})
	h.Want("CL.MWINDOW 2 a 10 60 -2 b 5 3600 4", []any{1, 1, []any{0, 10, 7, -1, 60}, []any{1, 5, 3, 3600, 3600}})
	h.Want("CL.MWINDOW 2 a 10 60 -2 b 5 3600 3 PEEK", []any{0, -1, []any{0, 10, 9, -1, 60}, []any{0, 5, 0, -1, 3600}})
	h.Want("CL.MWINDOW 2 a 10 60 -2 b 5 3600 3 ms", []any{0, -1, []any{0, 10, 9, -1, 60000}, []any{0, 5, 0, -1, 3600000}})
	h.Want("CL.MWINDOW 2 a 10 60 8 b 5 3600 1", []any{1, 1, []any{0, 10, 9, -1, 60}, []any{1, 5, 0, 3600, 3600}})
	h.Want("CL.MWINDOW 2 a 10 60 0 b 5 3600 0", []any{0, -1, []any{0, 10, 9, -1, 60}, []any{0, 5, 0, -1, 3600}})
	h.Want("GET a", "1")
	h.Want("GET b", "5")
}

// TestClMwindowCharge: with CHARGE all windows count, also beyond the limit.
func TestClMwindowCharge(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.MWINDOW 3 a 10 60 3 b 2 60 5 c 9 60 0 CHARGE",
		[]any{1, 1, []any{0, 10, 7, -1, 60}, []any{1, 2, -3, 60, 60}, []any{0, 9, 9, -1, 0}})
	h.Want("CL.MWINDOW 2 a 10 60 9223372036854775807 b 2 60 -1 MS CHARGE",
		[]any{1, 0, []any{1, 10, 10 - math.MaxInt64, 60000, 60000}, []any{0, 2, -2, -1, 60000}})
	h.Want("GET a", "9223372036854775807")
	h.Want("GET b", "4")
	h.Want("CL.MWINDOW 1 b 2 60 -9223372036854775808 CHARGE", []any{0, -1, []any{0, 2, 2, -1, 0}})
	h.Want("GET b", "0")
}

// TestClMwindowAlign: each window has its own options.
func TestClMwindowAlign(t *testing.T) {
	h := servertest.New(t)
	h.At(time.Date(2026, 3, 28, 23, 59, 40, 0, time.UTC).UnixNano()) // on the next day Berlin's clocks change
	want := []any{
		0, -1, []any{0, 10, 9, -1, 20}, []any{0, 10, 8, -1, 22*3600 + 20}, []any{0, 10, 7, -1, 60}, []any{0, 10, 6, -1, 20},
		[]any{0, 10, 5, -1, 4*86400 + 20},
	}
	h.Want("CL.MWINDOW 5 minute 10 60 1 align day-in-berlin 10 0 2 ALIGN day TZ Europe/Berlin first-use 10 60 3 "+
		"d 10 86400 4 TZ UTC ALIGN day m 10 0 5 ALIGN month DAY 2 PEEK", want)
}

// TestClMwindowKeys: the keys of a call are found among the options of its windows.
func TestClMwindowKeys(t *testing.T) {
	h := servertest.New(t)
	const call = "CL.MWINDOW 3 a 1 60 1 ALIGN b 1 0 1 ALIGN week DAY monday TZ UTC c 1 60 1 PEEK"
	h.Want("COMMAND GETKEYS "+call, []string{"a", "b", "c"})
	h.Want("ACL SETUSER ann on nopass ~a ~b +cl.mwindow", servertest.OK)
	h.Want("ACL DRYRUN ann "+call, "This user has no permissions to access the 'c' key")
	h.Want("ACL SETUSER ann ~c", servertest.OK)
	h.Want("ACL DRYRUN ann "+call, servertest.OK)
	require.Equal(t, int64(0), h.Do("EVAL",
		"return redis.call('CL.MWINDOW', 2, KEYS[1], 1, 60, 1, 'ALIGN', KEYS[2], 1, 60, 0)[1]", 2, "x", "b"))
	h.Want("MULTI", servertest.OK)
	h.Want("CL.MWINDOW 1 a 1 60 1", servertest.Queued)
	h.Want("CL.MWINDOW 2 b 2 60 1 a 1 60 1", servertest.Queued)
	h.Want("EXEC", []any{
		[]any{0, -1, []any{0, 1, 0, -1, 60}},
		[]any{1, 1, []any{0, 2, 2, -1, 0}, []any{1, 1, 0, 60, 60}},
	})
}

// TestClMwindowBy: each limit has its own algorithm, with the answers of its own command.
func TestClMwindowBy(t *testing.T) {
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000) // 20 s into a minute
	const all = "CL.MWINDOW 4 s 10 60 4 BY sliding l 10 60 4 by LOG g 10 60 4 BY gcra w 10 60 4"
	h.Want(all+" CHARGE", []any{
		0, -1, []any{0, 10, 6, -1, 86}, []any{0, 10, 6, -1, 60}, []any{0, 10, 6, -1, 24}, []any{0, 10, 6, -1, 60},
	})
	h.Want("CL.SLIDING s 10 60 0", []any{0, 10, 6, -1, 86})
	h.Want("CL.LOG l 10 60 0", []any{0, 10, 6, -1, 60})
	h.Want("CL.CHARGE g 9 10 60 0", []any{0, 10, 6, -1, 24})
	h.Want("CL.MWINDOW 3 s 10 60 7 BY SLIDING l 10 60 6 BY LOG g 10 60 6 BY GCRA", []any{
		1, 0, []any{1, 10, 6, 41, 86}, []any{0, 10, 6, -1, 60}, []any{0, 10, 6, -1, 24},
	})
	h.Want("CL.MWINDOW 2 s 10 60 -3 BY SLIDING g 10 60 -3 BY GCRA", []any{0, -1, []any{0, 10, 9, -1, 41}, []any{0, 10, 9, -1, 6}})
	h.Want("CL.MWINDOW 2 s 10 60 -9 BY SLIDING g 10 60 -9 BY GCRA", []any{0, -1, []any{0, 10, 10, -1, 0}, []any{0, 10, 10, -1, 0}})
	// The largest charge counts, or is limited. It is never an error.
	for _, by := range []string{"", " BY SLIDING", " BY LOG", " BY GCRA"} {
		for range 3 {
			got := h.Do("CL.MWINDOW 1 huge 10 60 9223372036854775807" + by + " CHARGE").([]any)
			require.EqualValues(t, 1, got[0], by)
		}
		h.Do("DEL huge")
	}
	// The largest quantity gives all back. It is never an error.
	for _, by := range []string{"", " BY SLIDING", " BY GCRA"} {
		for _, most := range []string{"-9223372036854775808", "-9223372036854775807", "-400000000000"} {
			h.Do("CL.MWINDOW 1 huge 10 60 25" + by + " CHARGE")
			h.Want("CL.MWINDOW 1 huge 10 60 "+most+by, []any{0, -1, []any{0, 10, 10, -1, 0}})
		}
		h.Do("DEL huge")
	}
	for line, want := range map[string]commands.Error{
		"1 a 1 60 1 BY":                  errWindows,
		"1 a 1 60 1 BY fuzzy":            "ERR by 'fuzzy' is not an algorithm: use SLIDING, LOG or GCRA, or leave it out for windows",
		"1 a 1 60 1 ALIGN BY LOG":        "ERR BY and ALIGN exclude each other: only fixed windows begin at given times",
		"1 a 1 60 -1 BY LOG":             "ERR quantity '-1' must not be negative: a log does not say whose actions come back",
		"1 a 0 60 1 BY GCRA":             "ERR limit '0' must be positive",
		"1 a 1000000000 60 1 BY SLIDING": "ERR limit '1000000000' must be from 0 to 999999999",
		"2 a 1 60 1 by 1 60 1":           "ERR by '1' is not an algorithm: use SLIDING, LOG or GCRA, or leave it out for windows",
	} {
		h.Want("CL.MWINDOW "+line, want)
	}
	h.Want("EXISTS a", 0)
}

func TestClMwindowErrors(t *testing.T) {
	h := servertest.New(t)
	h.SortedSet("z", "m")
	h.Want("SET plain 5", servertest.OK)
	changes := h.Store.Changes()
	many := "129" + strings.Repeat(" k 1 60 1", 129)
	for line, want := range map[string]commands.Error{
		"0 a 1 60 1":                     errWindows,
		"-1 a 1 60 1":                    errWindows,
		"x a 1 60 1":                     errWindows,
		"2 a 1 60 1":                     errWindows,
		"2 a 1 60 1 b 1 60":              errWindows,
		"9223372036854775807 a 1 60 1":   errWindows,
		many:                             errWindows,
		"2 a 1 60 1 align 1 60 1":        errWindows, // the key is an option
		"2 a 1 60 1 tz 1 60 1":           "ERR TZ and DAY need a unit: ALIGN day, ALIGN week, ALIGN month or ALIGN year",
		"2 a 1 0 1 ALIGN day 1 60 1":     errWindows,
		"1 a 1 60 1 1":                   "ERR syntax error: '1' is not an option of CL.MWINDOW: use MS, PEEK, CHARGE",
		"1 a 1 60 1 QUANTITY 1":          "ERR syntax error: 'QUANTITY' is not an option of CL.MWINDOW: use MS, PEEK, CHARGE",
		"1 a 1 60 1 CHARGE CHARGE":       "ERR syntax error: 'CHARGE' repeats",
		"1 a 1 60 1 PEEK ALIGN":          "ERR syntax error: 'ALIGN' is not an option of CL.MWINDOW: use MS, CHARGE",
		"1 a 1 60 x":                     "ERR quantity 'x' is not an integer or out of range",
		"1 a 1 60 PEEK":                  "ERR quantity 'PEEK' is not an integer or out of range",
		"2 a 1 60 1 b -1 60 1":           "ERR limit '-1' must not be negative",
		"2 a 1 60 1 b 1 60.0001 1":       "ERR period '60.0001' must be a whole number of milliseconds, at least one",
		"2 a 1 60 1 b 1 0 1 ALIGN ALIGN": "ERR syntax error: 'ALIGN' repeats",
		"1 a 1 60 1 TZ UTC":              "ERR TZ and DAY need a unit: ALIGN day, ALIGN week, ALIGN month or ALIGN year",
		"1 a 1 60 1 TZ":                  errWindows,
		"3 a 1 60 1 b 1 9223372036 1 c 1 9223372035 1": "ERR period '9223372036' is too long: its window would not end before the year 2262",
		"2 a 1 60 1 a 1 60 1":                          errSameKey,
		"2 a 1 60 1 z 1 60 1":                          commands.ErrWrongType,
		"2 a 1 60 1 plain 1 60 1":                      errNoWindow,
	} {
		h.Want("CL.MWINDOW "+line, want)
	}
	require.Equal(t, changes, h.Store.Changes())
}

func TestClMwindowIsCounted(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.MWINDOW 2 a 1 60 1 b 9 60 1")
	h.Do("CL.MWINDOW 2 a 1 60 1 b 9 60 1")
	h.Do("CL.MWINDOW 2 b 9 60 1 a 1 60 1 CHARGE")
	h.Do("CL.MWINDOW 2 a 1 60 1 b 9 60 1 PEEK")
	h.Do("CL.MWINDOW 2 a 1 60 0 b 9 60 0")
	require.Equal(t, "allowed=1,limited=2,looked=2", h.Info("throttle")["limiter_cl.mwindow"])
	h.Want("CL.TOP", []any{[]any{"a", 2, 0}})
}

// modelWindow is a kind of window of the model.
type modelWindow struct {
	words string // with # for the quantity
	begin string // the layout of a time that names a window
	end   func(now time.Time) time.Time
}

var modelWindows = []modelWindow{
	{"8 1 # ALIGN", time.DateTime, func(now time.Time) time.Time { return now.Truncate(time.Second).Add(time.Second) }},
	{"8 60 # ALIGN", "2006-01-02 15:04", func(now time.Time) time.Time { return now.Truncate(time.Minute).Add(time.Minute) }},
	{"8 0 # ALIGN month", "2006-01", func(now time.Time) time.Time {
		return time.Date(now.Year(), now.Month()+1, 1, 0, 0, 0, 0, time.UTC)
	}},
}

// modelLimit is the limit of every window of the model.
const modelLimit = 8

// modelAsked is a window of a call.
type modelAsked struct {
	counter        string // the key and the window of now
	left           int64  // milliseconds to its end
	quantity, used int64
}

// answer returns the answer to a window, and the count afterwards.
func (m *modelAsked) answer(charge, refused bool) (answer []any, after int64) {
	quantity := m.quantity
	if refused {
		quantity = 0
	}
	after = max(m.used+quantity, 0)
	limited := m.quantity >= 0 && m.used+m.quantity > modelLimit || refused && m.used > modelLimit
	remaining, retry, reset := modelLimit-after, int64(-1), int64(0)
	if refused {
		remaining = max(remaining, 0)
	}
	if limited && (charge || m.quantity <= modelLimit) {
		retry = m.left
	}
	if after > 0 {
		reset = m.left
	}
	return []any{commands.Bit(limited), modelLimit, remaining, retry, reset}, after
}

// TestClMwindowModel compares random calls with a count of each window, while the time passes.
func TestClMwindowModel(t *testing.T) {
	r, h := rand.New(randtest.Source(t)), servertest.New(t)
	counts, refusals := map[string]int64{}, 0
	now := time.Date(2026, 3, 1, 0, 0, 0, 0, time.UTC)
	for range 5_000 {
		now = now.Add(time.Duration(r.Int64N(int64(time.Second))))
		if r.IntN(100) == 0 {
			now = now.Add(time.Duration(r.Int64N(int64(20 * 24 * time.Hour))))
		}
		h.At(now.UnixNano())
		n, charge, peek := 1+r.IntN(4), r.IntN(2) == 0, r.IntN(8) == 0
		call, refusing, asked := fmt.Sprint("CL.MWINDOW ", n), -1, make([]modelAsked, n)
		for i, k := range r.Perm(6)[:n] {
			kind, m := modelWindows[k%len(modelWindows)], &asked[i]
			m.quantity = r.Int64N(15) - 5
			call += fmt.Sprint(" k", k, " ", strings.Replace(kind.words, "#", fmt.Sprint(m.quantity), 1))
			m.counter = fmt.Sprint(k, " ", now.Format(kind.begin))
			m.left = exact.CeilDiv(int64(kind.end(now).Sub(now)), 1e6)
			m.used = counts[m.counter]
			if refusing < 0 && m.quantity >= 0 && m.used+m.quantity > modelLimit {
				refusing = i
				refusals++
			}
		}
		if charge {
			call += " CHARGE"
		}
		if peek {
			call += " PEEK"
		}
		want := []any{commands.Bit(refusing >= 0), refusing}
		for _, m := range asked {
			answer, after := m.answer(charge, refusing >= 0 && !charge)
			want = append(want, answer)
			if !peek {
				counts[m.counter] = after
			}
		}
		h.Want(call+" MS", want)
	}
	require.Greater(t, refusals, 500)
}
