package limits

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"cellserver/commands"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// doors are the ways in which the limits of the rule plan change for the key acme.
var doors = map[string]func(t *testing.T, h *servertest.Harness, limits string){
	"SET": func(_ *testing.T, h *servertest.Harness, limits string) {
		h.Want("CL.RULE SET plan "+limits, ok)
	},
	"JSON": func(t *testing.T, h *servertest.Harness, limits string) {
		require.Equal(t, h.Wire(ok), h.Do("CL.RULE", "SET", "plan", "JSON", `{"limits":`+list(limits)+`}`))
	},
	"file": func(t *testing.T, h *servertest.Harness, limits string) {
		require.NoError(t, h.Server.UseRules("f", []byte("rules: {plan: {limits: "+list(limits)+"}}")))
	},
	"override of the file": func(t *testing.T, h *servertest.Harness, limits string) {
		text := "rules: {plan: {limits: CL.THROTTLE 1 1 77, overrides: {acme: " + list(limits) + "}}}"
		require.NoError(t, h.Server.UseRules("f", []byte(text)))
	},
	"override": func(_ *testing.T, h *servertest.Harness, limits string) {
		h.Want("CL.RULE SET plan CL.THROTTLE 1 1 77", ok)
		h.Want("CL.RULE OVERRIDE plan - acme "+limits, ok)
	},
	"EXEC": func(_ *testing.T, h *servertest.Harness, limits string) {
		h.Do("MULTI")
		h.Do("CL.RULE SET plan " + limits)
		h.Do("EXEC")
	},
}

// list returns limits as a list in JSON, which is YAML, too.
func list(limits string) string { return `["` + strings.ReplaceAll(limits, " AND ", `","`) + `"]` }

// eachDoor runs a story for each way in which limits change.
func eachDoor(t *testing.T, story func(t *testing.T, h *servertest.Harness, change func(limits string))) {
	for name, door := range doors {
		t.Run(name, func(t *testing.T) {
			h := servertest.New(t)
			h.At(1_800_000_000_000_000_000)
			story(t, h, func(limits string) { door(t, h, limits) })
		})
	}
}

// wantAlike requires that a look, an explanation and a decision agree, and that the decision is this one.
func wantAlike(t *testing.T, h *servertest.Harness, want []any) {
	t.Helper()
	peek := h.Do("CL.CHECK plan acme 1 PEEK")
	explained := h.Do("CL.EXPLAIN plan acme 1").([]any)
	decided := h.Do("CL.CHECK plan acme 1")
	require.Equal(t, h.Wire(want), decided)
	require.Equal(t, decided, peek)
	for i, number := range decided.([]any) {
		require.Equal(t, number, explained[7+2*i], "%v", explained)
	}
}

// TestChangedRateHelpsAtOnce: what was counted stays counted, and counts at the rate in force.
func TestChangedRateHelpsAtOnce(t *testing.T) {
	eachDoor(t, func(t *testing.T, h *servertest.Harness, change func(limits string)) {
		change("CL.THROTTLE 4 5 3600")
		h.Do("CL.CHECK plan acme 5")
		wantAlike(t, h, []any{1, 5, 0, 720, 3600})
		change("CL.THROTTLE 99 5000 3600")
		wantAlike(t, h, []any{0, 100, 94, -1, 5})
		change("CL.THROTTLE 99 10000 3600") // twice in a row
		wantAlike(t, h, []any{0, 100, 93, -1, 3})
		change("CL.THROTTLE 4 5 3600") // nobody waits longer than a burst of five
		wantAlike(t, h, []any{1, 5, 0, 720, 3600})
		h.Advance(719 * time.Second)
		wantAlike(t, h, []any{1, 5, 0, 1, 2881})
		h.Advance(time.Second)
		wantAlike(t, h, []any{0, 5, 0, -1, 3600})
	})
}

// TestRateCountsFromItsChange: the same burst at another rate comes back by that rate from the change on,
// and a refusal keeps what was counted.
func TestRateCountsFromItsChange(t *testing.T) {
	eachDoor(t, func(t *testing.T, h *servertest.Harness, change func(limits string)) {
		change("CL.THROTTLE 4 5 3600")
		h.Do("CL.CHECK plan acme 5")
		change("CL.THROTTLE 4 5 5")
		wantAlike(t, h, []any{1, 5, 0, 1, 5})
		h.Advance(time.Second)
		wantAlike(t, h, []any{0, 5, 0, -1, 5})
		change("CL.THROTTLE 4 5 3600")
		wantAlike(t, h, []any{1, 5, 0, 720, 3600})
		h.Advance(6 * time.Second) // the former rate would have given all back
		wantAlike(t, h, []any{1, 5, 0, 714, 3594})
		h.Want("CL.CHECK plan acme 7 CHARGE", []any{1, 5, -7, 5754, 8634})
		change("CL.THROTTLE 1 1 60") // a debt beyond the burst stays
		h.Want("CL.CHECK plan acme 0 CHARGE", []any{1, 2, -7, 480, 540})
	})
}

// TestRateChangesWhileNobodyAsks: the time from the change to the next request counts at the new rate.
func TestRateChangesWhileNobodyAsks(t *testing.T) {
	for _, name := range []string{"SET", "JSON", "file", "override", "EXEC"} {
		h := servertest.New(t)
		h.At(1_800_000_000_000_000_000)
		doors[name](t, h, "CL.THROTTLE 4 5 3600")
		h.Do("CL.CHECK plan acme 5")
		doors[name](t, h, "CL.THROTTLE 4 5 5")
		h.Advance(10 * time.Second)
		wantAlike(t, h, []any{0, 5, 4, -1, 1})
	}
}

// TestFileAndSetTakeOver: the numbers follow if a rule of CL.RULE SET hides that of the file, and is deleted
// again; and if a name gets a rule of its own.
func TestFileAndSetTakeOver(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	doors["file"](t, h, "CL.THROTTLE 4 5 3600")
	h.Do("CL.CHECK plan acme 5")
	h.Want("CL.RULE SET plan CL.THROTTLE 9 10 10", ok)
	wantAlike(t, h, []any{0, 10, 4, -1, 6})
	h.Want("CL.RULE DEL plan", 1)
	wantAlike(t, h, []any{1, 5, 0, 720, 3600})
	h.Do("CL.RULE SET default CL.THROTTLE 4 5 3600")
	h.Do("CL.CHECK other acme 5")
	h.Do("CL.RULE SET other CL.THROTTLE 9 10 10")
	h.Want("CL.CHECK other acme", []any{0, 10, 4, -1, 6})
}

// TestLimitsOfOneRuleChange: each limit of a rule has its own numbers, also if they change places.
func TestLimitsOfOneRuleChange(t *testing.T) {
	eachDoor(t, func(t *testing.T, h *servertest.Harness, change func(limits string)) {
		change("CL.THROTTLE 4 5 3600 AND CL.WINDOW 100 60 AND CL.THROTTLE 9 10 10")
		h.Do("CL.CHECK plan acme 5")
		change("CL.THROTTLE 9 10 10 AND CL.WINDOW 100 60 AND CL.THROTTLE 4 5 3600")
		require.Contains(t, fmt.Sprint(h.Do("CL.EXPLAIN plan acme")), "retry_after 720 reset_after 3600")
		change("CL.THROTTLE 9 10 10 AND CL.WINDOW 100 60 AND CL.THROTTLE 49 50 50")
		wantAlike(t, h, []any{0, 10, 4, -1, 6})
	})
}

// TestChangeLeavesNoError: a state of another type, a rule that loses its rate, and a key with braces.
func TestChangeLeavesNoError(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	for _, key := range []string{"a{cm}e", "a}cme", "{"} {
		h.Do("CL.RULE SET plan CL.THROTTLE 4 5 3600")
		h.Do("CL.CHECK", "plan", key, 5)
		h.Do("CL.RULE SET plan CL.WINDOW 5 60")
		h.Do("CL.RULE SET plan CL.THROTTLE 9 10 10")
		require.Equal(t, h.Wire([]any{0, 10, 4, -1, 6}), h.Do("CL.CHECK", "plan", key))
	}
	h.Do("ZADD plan:{k}:throttle 1 m")
	h.Do("CL.RULE SET plan CL.THROTTLE 1 1 1")
	h.Want("CL.CHECK plan k", commands.ErrWrongType)
	h.Do("SET plan:{forever}:throttle 1900000000000000000")
	h.Do("CL.RULE SET plan CL.THROTTLE 1 1 2")
	require.Contains(t, fmt.Sprint(h.Do("CL.CHECK plan forever")), "[1 2 0")
}

// TestReservationAcrossAChange: a settlement counts at the rate in force, and gives back too little rather
// than too much.
func TestReservationAcrossAChange(t *testing.T) {
	eachDoor(t, func(t *testing.T, h *servertest.Harness, change func(limits string)) {
		change("CL.THROTTLE 9 10 3600")
		h.Do("CL.RESERVE plan acme 8 a 600")
		change("CL.THROTTLE 9 10 10")
		h.Want("CL.SETTLE plan acme a 2", []any{0, 10, 8, -1, 2})
		h.Do("CL.RESERVE plan acme 3 b 600")
		change("CL.THROTTLE 19 10 10")
		h.Want("CL.SETTLE plan acme b 6", []any{0, 20, 12, -1, 8})
		h.Do("CL.RESERVE plan acme 4 c 600 RELEASE")
		change("CL.THROTTLE 19 10 100")
		h.Advance(600 * time.Second)
		wantAlike(t, h, []any{0, 20, 19, -1, 10})
	})
}

// TestShorterPeriodEndsTheWait: what was counted stays counted, for one period in force at most.
func TestShorterPeriodEndsTheWait(t *testing.T) {
	for name, story := range map[string]struct {
		before, after string
		wait          int64
	}{
		"window":   {"CL.WINDOW 5 36000", "CL.WINDOW 5 60", 60},
		"aligned":  {"CL.WINDOW 5 36000 ALIGN", "CL.WINDOW 5 60 ALIGN", 59},
		"calendar": {"CL.WINDOW 5 0 ALIGN month", "CL.WINDOW 5 0 ALIGN day", 57599},
		"sliding":  {"CL.SLIDING 5 36000", "CL.SLIDING 5 60", 60},
		"log":      {"CL.LOG 5 36000", "CL.LOG 5 60", 59},
	} {
		t.Run(name, func(t *testing.T) {
			eachDoor(t, func(t *testing.T, h *servertest.Harness, change func(limits string)) {
				change(story.before)
				h.Do("CL.CHECK plan acme 5")
				h.Advance(time.Second)
				change(story.after)
				reset := h.Do("CL.EXPLAIN plan acme").([]any)[15].(int64)
				wantAlike(t, h, []any{1, 5, 0, story.wait, reset})
				h.Advance(time.Duration(story.wait-1) * time.Second)
				require.Equal(t, int64(1), h.Do("CL.CHECK plan acme").([]any)[0])
				h.Advance(time.Second)
				require.Equal(t, int64(0), h.Do("CL.CHECK plan acme").([]any)[0])
				change(strings.Replace(story.after, " 5 ", " 9 ", 1)) // a count helps at once
				require.Equal(t, int64(0), h.Do("CL.CHECK plan acme 3").([]any)[0])
			})
		})
	}
}

// TestFileTakesOverFromALaterDelete: a rule of the file that came while a stored rule hid it goes on with
// what that one has counted.
func TestFileTakesOverFromALaterDelete(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	h.Do("CL.RULE SET plan CL.THROTTLE 4 5 3600")
	h.Do("CL.CHECK plan acme 5")
	doors["file"](t, h, "CL.THROTTLE 9 10 10")
	h.Want("CL.RULE DEL plan", 1)
	wantAlike(t, h, []any{0, 10, 4, -1, 6})
}

// TestTagsAreNotUsedTwice: after hundreds of changes a key that the first numbers have counted waits for one
// full burst at most.
func TestTagsAreNotUsedTwice(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	h.Do("CL.RULE SET plan CL.THROTTLE 0 1 2592000")
	h.Do("CL.CHECK plan acme")
	for i := range 600 {
		h.Do(fmt.Sprintf("CL.RULE SET plan CL.THROTTLE %d 1 1", i))
	}
	h.Do("CL.RULE SET plan CL.THROTTLE 9 10 10")
	h.Want("CL.CHECK plan acme", []any{1, 10, 0, 1, 10})
}

// TestKeysFromBeforeLedgers: a key that a server without ledgers has counted keeps its TAT, also if its rule
// has several rates.
func TestKeysFromBeforeLedgers(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	h.Do("CL.RULE SET plan CL.THROTTLE 9 10 1 AND CL.THROTTLE 99 100 3600")
	h.Do("CL.CHECK plan acme 5")
	keys := h.Do("KEYS *").([]any)
	require.Len(t, keys, 2)
	for _, key := range keys {
		if h.Do("PTTL", key).(int64) > 1000 { // it has no tag, and the TAT of half an hour later
			h.Do("SET", key, "1800001800000000000", "PXAT", "1800001800000")
		}
	}
	h.Want("CL.CHECK plan acme", []any{0, 10, 4, -1, 1})
	require.Contains(t, fmt.Sprint(h.Do("CL.EXPLAIN plan acme")), "tat 1800001836000")
}

// TestChangeAtTheMomentOfAReservation: a smaller burst cuts off what others have counted, also if the rule
// changes at the moment of a reservation. So much of it stays counted.
func TestChangeAtTheMomentOfAReservation(t *testing.T) {
	h := servertest.New(t)
	h.Want("CL.RULE SET r CL.THROTTLE 6 7 7", ok)
	h.Want("CL.RESERVE r k 7 id 60", []any{0, 7, 0, -1, 7})
	h.Want("CL.RULE SET r CL.THROTTLE 6 7 4", ok)
	h.Want("CL.RULE SET r CL.THROTTLE 4 5 5", ok)
	h.Want("CL.SETTLE r k id 1", []any{0, 5, 4, -1, 1}) // 2 of the 7 are cut off, and 4 come back
}

// TestSettlementAfterAShorterPeriod: a shorter period ends a window early. A later window may end when that one would
// have ended. A settlement gives nothing back to it, also if the rule has its former period again.
func TestSettlementAfterAShorterPeriod(t *testing.T) {
	for _, back := range []bool{false, true} {
		for _, releases := range []string{"", " RELEASE"} {
			h := servertest.New(t)
			h.At(1_790_000_000_000_000_000) // 20 s into a minute
			h.Want("CL.RULE SET r CL.WINDOW 4 60 ALIGN", ok)
			h.Want("CL.RESERVE r k 2 id 12"+releases, []any{0, 4, 2, -1, 40})
			h.Want("CL.RULE SET r CL.WINDOW 4 30 ALIGN", ok)
			h.Want("CL.CHECK r k 0", []any{0, 4, 2, -1, 10})
			h.Advance(11 * time.Second)
			h.Want("CL.CHECK r k 4", []any{0, 4, 0, -1, 29})
			if back {
				h.Want("CL.RULE SET r CL.WINDOW 4 60 ALIGN", ok)
			}
			if releases == "" {
				h.Want("CL.SETTLE r k id 1", []any{0, 4, 0, -1, 29})
			}
			h.Advance(2 * time.Second)
			h.Want("CL.CHECK r k", []any{1, 4, 0, 27, 27})
		}
	}
	h := servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	h.Want("CL.RULE SET s CL.SLIDING 100 60", ok)
	h.Want("CL.RESERVE s {a}k 50 id 60", []any{0, 100, 50, -1, 99})
	h.Want("CL.RULE SET s CL.SLIDING 100 10", ok)
	h.Do("CL.CHECK s {a}k 0")
	h.Advance(30 * time.Second)
	h.Want("CL.CHECK s {a}k 100", []any{0, 100, 0, -1, 20})
	h.Want("CL.RULE SET s CL.SLIDING 100 60", ok)
	before := h.Do("CL.CHECK s {a}k 0")
	h.Want("CL.SETTLE s {a}k id 0", before)

	h = servertest.New(t)
	h.At(1_790_000_000_000_000_000)
	h.Want("CL.RULE SET o CL.WINDOW 4 60 ALIGN", ok)
	h.Want("CL.RESERVE o k 2 id 30", []any{0, 4, 2, -1, 40})
	h.Want("CL.RULE OVERRIDE o - k CL.WINDOW 4 30 ALIGN", ok)
	h.Advance(11 * time.Second)
	h.Want("CL.CHECK o k 4", []any{0, 4, 0, -1, 29})
	h.Want("CL.RULE OVERRIDE o - k DEL", 1)
	h.Want("CL.SETTLE o k id 1", []any{0, 4, 0, -1, 29})
}

// TestRequestBehindTheBoundary: requests read the clock before they wait for the key. One that has read it before a
// window began must not end this window.
func TestRequestBehindTheBoundary(t *testing.T) {
	const midnight = 1_790_035_200 * int64(time.Second)
	for _, limit := range []string{
		"CL.WINDOW 5 60", "CL.WINDOW 5 60 ALIGN", "CL.WINDOW 5 0 ALIGN day", "CL.WINDOW 5 0 ALIGN month", "CL.SLIDING 5 60",
	} {
		h := servertest.New(t)
		h.Want("CL.RULE SET plan "+limit, ok)
		for range 3 {
			h.At(midnight + 1)
			h.Do("CL.CHECK plan acme 5")
			require.Equal(t, int64(1), h.Do("CL.CHECK plan acme").([]any)[0], limit)
			h.At(midnight - int64(time.Second))
			require.Equal(t, int64(1), h.Do("CL.CHECK plan acme").([]any)[0], limit)
		}
		h.At(midnight + 1)
		require.Equal(t, int64(1), h.Do("CL.CHECK plan acme").([]any)[0], limit)
	}
}
