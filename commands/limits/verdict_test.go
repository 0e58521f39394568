package limits

import (
	"fmt"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/limiters"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestLimitOfZero: a limit of 0 refuses every action for ever, and allows a quantity of 0.
func TestLimitOfZero(t *testing.T) {
	for _, limiter := range []string{"WINDOW %d 60", "WINDOW %d 0 ALIGN month", "SLIDING %d 60", "LOG %d 60", "LOG %d 60 STRICT"} {
		t.Run(limiter, func(t *testing.T) {
			h := servertest.New(t)
			open, blocked := "CL."+fmt.Sprintf(limiter, 5), "CL."+fmt.Sprintf(limiter, 0)
			h.Do("CL.RULE SET api " + open)
			h.Do("CL.CHECK api mallory 3")
			h.Want("CL.RULE OVERRIDE api - mallory "+blocked, ok)
			for _, charge := range []string{"", " CHARGE"} {
				answer := h.Do("CL.CHECK api mallory 1" + charge).([]any)
				require.Equal(t, []any{int64(1), int64(0)}, answer[:2], charge)
				require.LessOrEqual(t, answer[2], int64(0), charge)
				require.Equal(t, int64(-1), answer[3], charge)
			}
			look := h.Do("CL.CHECK api mallory 0").([]any)
			require.Equal(t, []any{int64(0), int64(0), int64(0), int64(-1)}, look[:4])
			h.Want("CL.RULE OVERRIDE api - nobody "+blocked, ok)
			h.Want("CL.CHECK api nobody", []any{1, 0, 0, -1, 0})
			h.Want("CL.RESERVE api nobody 5 id 60", []any{1, 0, 0, -1, 0})
			h.Want("CL.RULE OVERRIDE api - mallory DEL", 1)
			require.Equal(t, int64(1), h.Do("CL.CHECK api mallory 0").([]any)[2], "3 and a charge of 1 stay counted")
		})
	}
}

// TestBlockAndAllow: one word refuses a key altogether, another one exempts it.
func TestBlockAndAllow(t *testing.T) {
	h := servertest.New(t)
	h.Do("CL.RULE SET api CL.THROTTLE 4 5 60 AND CL.WINDOW 100 86400")
	h.Do("CL.CHECK api mallory 2")
	h.Want("CL.RULE OVERRIDE api - mallory block", ok)
	h.Want("CL.CHECK api mallory", []any{1, 0, 0, -1, 0})
	h.Want("CL.CHECK api mallory 7 CHARGE", []any{1, 0, 0, -1, 0})
	h.Want("CL.CHECK api mallory 0", []any{0, 0, 0, -1, 0})
	h.Want("CL.CHECK api mallory -1", commands.Error("ERR quantity '-1' must not be negative"))
	h.Want("CL.RESERVE api mallory 1 id 60 RELEASE", []any{1, 0, 0, -1, 0})
	explained := fmt.Sprint(h.Do("CL.EXPLAIN api mallory"))
	require.Contains(t, explained, "limiter block arguments  source override")
	h.Want("CL.RULE OVERRIDE api - mallory DEL", 1)
	h.Want("CL.CHECK api mallory 0", []any{0, 5, 3, -1, 24})

	h.Want("CL.RULE OVERRIDE api - probe ALLOW", ok)
	for range 7 {
		h.Want("CL.CHECK api probe 3000", []any{0, limiters.Unlimited, limiters.Unlimited, -1, 0})
	}
	h.Want("CL.RESERVE api probe 3000 id 60", []any{0, limiters.Unlimited, limiters.Unlimited, -1, 0})
	h.Want("CL.SETTLE api probe id 7", []any{0, limiters.Unlimited, limiters.Unlimited, -1, 0})
	h.Want("EXISTS api:{probe}:throttle api:{probe}:window api:{probe}:allow", 0)

	h.Do("CL.RULE SET llm SCOPE org CL.WINDOW 5 60 AND SCOPE user CL.WINDOW 3 60")
	h.Do("CL.RULE OVERRIDE llm user root ALLOW")
	h.Want("CL.CHECK llm acme root 4", []any{0, 5, 1, -1, 60}) // the other scope still counts
	h.Do("CL.RULE OVERRIDE llm org acme BLOCK")
	h.Want("CL.CHECK llm acme root 1", []any{1, 0, 0, -1, 0})
	h.Want("CL.RULE SET llm BLOCK SHADOW", ok)
	h.Want("CL.CHECK llm k", []any{0, 0, 0, -1, 0})
	h.Want("CL.RULE SET llm BLOCK 5", commands.Error("ERR syntax error: '5' is a word too much after BLOCK in a rule"))
	h.Want("CL.RULE OVERRIDE api - k CL.THROTTLE 0 0 60",
		commands.Error("ERR count '0' must be positive: BLOCK refuses every action"))

	require.NoError(t, h.Server.UseRules("f", []byte("rules:\n  file:\n    limits: CL.WINDOW 9 60\n"+
		"    overrides:\n      mallory: BLOCK\n      probe: allow\n      eve: CL.WINDOW 0 60\n")))
	h.Want("CL.CHECK file mallory", []any{1, 0, 0, -1, 0})
	h.Want("CL.CHECK file eve", []any{1, 0, 0, -1, 0})
	h.Want("CL.CHECK file probe 99", []any{0, limiters.Unlimited, limiters.Unlimited, -1, 0})
}

// TestBillingDay: a month begins on any day, and a week on any weekday.
func TestBillingDay(t *testing.T) {
	h := servertest.New(t)
	day := func(month time.Month, day int) { h.At(time.Date(2026, month, day, 0, 0, 0, 0, time.UTC).UnixNano()) }
	const days = 86400
	day(1, 31) // a Saturday
	h.Want("CL.WINDOW bill 10 0 4 ALIGN month DAY 31", []any{0, 10, 6, -1, 28 * days})
	h.Want("CL.WINDOW mid 10 0 4 DAY 15 ALIGN month TZ UTC", []any{0, 10, 6, -1, 15 * days})
	h.Want("CL.WINDOW us 10 604800 4 ALIGN week DAY Sunday", []any{0, 10, 6, -1, 1 * days})
	h.Want("CL.WINDOW eg 10 0 4 ALIGN week day saturday", []any{0, 10, 6, -1, 7 * days})
	h.Want("CL.WINDOW iso 10 0 4 ALIGN week", []any{0, 10, 6, -1, 2 * days})
	day(2, 28)
	h.Want("CL.WINDOW bill 10 0 4 ALIGN month DAY 31", []any{0, 10, 6, -1, 31 * days})
	h.Do("CL.RULE SET plan CL.WINDOW 100 0 ALIGN month DAY 15")
	h.Want("CL.RULE OVERRIDE plan - acme CL.WINDOW 100 0 ALIGN month DAY 3 TZ UTC", ok)
	h.Want("CL.CHECK plan acme", []any{0, 100, 99, -1, 3 * days})
	require.NoError(t, h.Server.UseRules("f", []byte("rules:\n  week:\n    limits: CL.WINDOW 9 0 ALIGN week DAY sunday\n")))
	h.Want("CL.CHECK week k", []any{0, 9, 8, -1, 1 * days})
	for words, want := range map[string]commands.Error{
		"ALIGN month DAY 32":            "ERR day '32' is not a weekday such as sunday, or a day of the month from 1 to 31",
		"ALIGN month DAY 0":             "ERR day '0' is not a weekday such as sunday, or a day of the month from 1 to 31",
		"ALIGN month DAY monday":        "ERR day 'monday' is not a day of the month: use 1 to 31",
		"ALIGN week DAY 15":             "ERR day '15' is not a day of the week: use sunday to saturday",
		"ALIGN day DAY 15":              "ERR day '15' needs ALIGN week or ALIGN month",
		"ALIGN DAY 15":                  "ERR syntax error: '15' is not an option of CL.WINDOW: use MS, PEEK, CHARGE, TZ, DAY",
		"ALIGN week DAY":                "ERR syntax error: 'DAY' needs a weekday, or a day of the month, after it",
		"DAY sunday":                    "ERR TZ and DAY need a unit: ALIGN day, ALIGN week, ALIGN month or ALIGN year",
		"ALIGN month DAY 15 DAY 15":     "ERR syntax error: 'DAY' repeats",
		"ALIGN month DAY 15 TZ Nowhere": "ERR tz 'Nowhere' is not a time zone such as Europe/Berlin",
	} {
		h.Want("CL.WINDOW new 10 0 1 "+words, want)
	}
	h.Want("EXISTS new", 0)
}
