package httpapi

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// rightBodies has a request for each limiter, with all of its fields.
var rightBodies = []string{
	`{"key": "r1", "max_burst": 15, "count": 30, "period": 60}`,
	`{"limiter": "throttle", "key": "r2", "max_burst": 15, "count": 30, "period": 60, "quantity": 2, "peek": true}`,
	`{"limiter": "charge", "key": "r3", "max_burst": 15, "count": 30, "period": 0.5, "quantity": 99, "peek": false}`,
	`{"key": "r14", "limit": "100/minute", "quantity": 2, "peek": true}`,
	`{"key": "r15", "limit": "5 per second burst 20"}`,
	`{"limiter": "window", "key": "r4", "limit": 5, "period": 60, "quantity": 2, "align": true, "peek": true}`,
	`{"limiter": "window", "key": "r11", "limit": 5, "period": 0, "align": "month", "day": 15, "tz": "Europe/Berlin"}`,
	`{"limiter": "window", "key": "r12", "limit": 5, "period": 0, "align": "week", "day": "sunday"}`,
	`{"limiter": "window", "key": "r16", "limit": 5, "period": 60, "quantity": 9, "charge": true}`,
	`{"limiter": "window", "key": "r13", "limit": 5, "period": 86400, "align": "day"}`,
	`{"limiter": "sliding", "key": "r5", "limit": 5, "period": 60, "quantity": 2, "peek": true}`,
	`{"limiter": "log", "key": "r6", "limit": 5, "period": 60, "quantity": 2, "gap": 0.5, "strict": true, "resolution": 0.25, "peek": true}`,
	`{"limiter": "pace", "key": "r7", "max_burst": 0, "count": 30, "period": 60, "quantity": 1, "maxwait": 1, "warmup": 2, "peek": true}`,
	`{"limiter": "acquire", "key": "r8", "limit": 5, "lease": 60, "holder": "h", "peek": false}`,
	`{"limiter": "release", "key": "r8", "holder": "h"}`,
	`{"limiter": "mthrottle", "limits": [{"key": "r9", "max_burst": 1, "count": 1, "period": 60}, {"key": "r10", "max_burst": 1, "count": 1, "period": 60}], "quantity": 2, "peek": true}`,
	`{"limiter": "mwindow", "limits": [{"key": "r17", "limit": 9, "period": 60, "align": true}, {"key": "r18", "limit": 1, "period": 0, "quantity": 7, "align": "month", "day": 5, "tz": "Europe/Berlin"}, {"key": "r19", "limit": 9, "period": 0, "align": "day"}], "charge": true, "peek": true}`,
	`{"limiter": "mwindow", "limits": [{"key": "r20", "limit": 9, "period": 0, "quantity": -1, "align": "week"}, {"key": "r21", "limit": 9, "period": 60, "by": "sliding"}]}`,
}

var wrongBodies = []string{
	``, `[]`, `null`, `{}`, `{"key": "w"}`, `{"key": 5, "max_burst": 15, "count": 30, "period": 60}`,
	`{"key": "w", "max_burst": 15, "count": 30}`,
	`{"key": "w", "max_burst": "15", "count": 30, "period": 60}`,
	`{"key": "w", "max_burst": 1.5, "count": 30, "period": 60}`,
	`{"key": "w", "max_burst": 15, "count": 0, "period": 60}`,
	`{"key": "w", "max_burst": 15, "count": 30, "period": 60, "limit": 3}`,
	`{"key": "w", "max_burst": 15, "count": 30, "period": 60, "peek": 1}`,
	`{"key": "w", "max_burst": 15, "count": 30, "period": 60, "quantity": true}`,
	`{"limiter": 5, "key": "w", "max_burst": 15, "count": 30, "period": 60}`,
	`{"limiter": "none", "key": "w"}`,
	`{"key": "w", "limit": 5}`,
	`{"key": "w", "limit": ""}`,
	`{"key": "w", "limit": "100/minute", "period": 60}`,
	`{"limiter": "log", "key": "w", "limit": "100/minute"}`,
	`{"limiter": "window", "key": "w", "limit": -1, "period": 60}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 60, "align": "hour"}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 60, "align": "peek"}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 60, "align": "month peek"}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 60, "align": 1}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 0, "align": "month", "tz": "Mars/Olympus"}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 0, "align": "month", "tz": 1}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 0, "align": "month", "day": 32}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 0, "align": "month", "day": "sunday"}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 0, "align": "week", "day": "PEEK"}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 60, "tz": "UTC"}`,
	`{"limiter": "window", "key": "w", "limit": 5, "period": 60, "gap": 1}`,
	`{"limiter": "log", "key": "w", "limit": 5, "period": 60, "gap": true}`,
	`{"limiter": "acquire", "key": "w", "limit": 5, "lease": 60}`,
	`{"limiter": "acquire", "key": "w", "limit": 5, "lease": 60, "holder": 1}`,
	`{"limiter": "release", "key": "w"}`,
	`{"limiter": "mwindow", "limits": [{"key": "w", "limit": 1, "period": 60, "charge": true}]}`,
	`{"limiter": "mwindow", "limits": [{"key": "w", "limit": 1, "period": 60}], "quantity": 2}`,
	`{"limiter": "mwindow", "limits": [{"key": "w", "limit": 1, "period": 60}, {"key": "align", "limit": 1, "period": 60}]}`,
	`{"limiter": "mthrottle"}`,
	`{"limiter": "mthrottle", "limits": []}`,
	`{"limiter": "mthrottle", "limits": [5]}`,
	`{"limiter": "mthrottle", "limits": [{"key": "w", "max_burst": 1, "count": 1, "period": 60, "peek": true}]}`,
	`{"limiter": "mthrottle", "limits": [{"key": "w", "max_burst": 1, "count": 1, "period": 60}], "key": "w"}`,
}

func TestThrottle(t *testing.T) {
	w := newWeb(t)
	const body = `{"key": "user:1", "max_burst": 1, "count": 1, "period": 10}`
	got := w.post("/throttle", body)
	require.Equal(t, 200, got.Status)
	require.Equal(t, []string{`"throttle";q=2;w=20`, `"throttle";r=1;t=10`, "2", "1", "10", ""}, got.fields(limitHeaders...))
	w.post("/throttle", body)
	got = w.post("/throttle", body)
	require.Equal(t, 429, got.Status)
	require.Equal(t, []string{`"throttle";q=2;w=20`, `"throttle";r=0;t=10`, "2", "0", "20", "10"}, got.fields(limitHeaders...))
	w.Want("CL.THROTTLE user:1 1 1 10 0", []any{0, 2, 0, -1, 20})

	// A charge counts even if less is left.
	got = w.post("/throttle", `{"limiter": "charge", "key": "user:2", "max_burst": 1, "count": 1, "period": 10, "quantity": 5}`)
	require.Equal(t, 200, got.Status)
	require.Equal(t, []string{"0"}, got.fields("X-RateLimit-Remaining"))
	require.JSONEq(t, `{"allowed": false, "limit": 2, "remaining": -3, "retry_after": 30, "reset_after": 50,
		"policies": [{"policy": "charge", "limit": 2, "remaining": -3, "retry_after": 30, "reset_after": 50, "window": 20}]}`, got.Text)

	const window = `{"limiter": "window", "key": "user:4", "limit": 2, "period": 60, "quantity": `
	got = w.post("/throttle", window+`5, "charge": true}`)
	require.Equal(t, 200, got.Status)
	require.Equal(t, "-3", got.number("remaining"))
	require.Equal(t, 429, w.post("/throttle", window+`1, "charge": false}`).Status)
	got = w.post("/throttle", window+`-4}`)
	require.Equal(t, 200, got.Status)
	require.Equal(t, "1", got.number("remaining"))

	const windows = `{"limiter": "mwindow", "limits": [{"key": "user:5", "limit": 2, "period": 60}, {"key": "user:6", "limit": 50, "period": 3600, "quantity": `
	require.Equal(t, 200, w.post("/throttle", windows+`50}]}`).Status)
	got = w.post("/throttle", windows+`1}]}`)
	require.Equal(t, 429, got.Status)
	require.Equal(t, []any{"window:2"}, got.Body["violated-policies"])
	require.Equal(t, 200, w.post("/throttle", windows+`1}], "charge": true}`).Status)
	w.Want("MGET user:5 user:6", []any{"2", "51"})

	const pace = `{"limiter": "pace", "key": "user:3", "max_burst": 0, "count": 4, "period": 1}`
	w.post("/throttle", pace)
	require.Equal(t, "250", w.post("/throttle", pace).number("hold_ms"))

	const acquire = `{"limiter": "acquire", "key": "jobs", "limit": 1, "lease": 60, "holder": `
	require.Equal(t, 200, w.post("/throttle", acquire+`"a"}`).Status)
	require.Equal(t, 429, w.post("/throttle", acquire+`"b"}`).Status)
	require.Equal(t, true, w.post("/throttle", `{"limiter": "release", "key": "jobs", "holder": "a"}`).Body["released"])
	require.Equal(t, false, w.post("/throttle", `{"limiter": "release", "key": "jobs", "holder": "a"}`).Body["released"])
	require.Equal(t, 200, w.post("/throttle", acquire+`"b"}`).Status)

	const both = `{"limiter": "mthrottle", "limits": [{"key": "s", "max_burst": 0, "count": 1, "period": 1}, {"key": "h", "max_burst": 4, "count": 5, "period": 3600}]}`
	require.Equal(t, 200, w.post("/throttle", both).Status)
	got = w.post("/throttle", both)
	require.Equal(t, 429, got.Status)
	require.Equal(t, []any{"throttle:1"}, got.Body["violated-policies"])
	require.Equal(t, []string{`"throttle:1";q=1;w=1, "throttle:2";q=5;w=3600`, `"throttle:1";r=0;t=1, "throttle:2";r=4;t=720`, "1", "0", "1", "1"}, got.fields(limitHeaders...))
	w.Advance(time.Second)
	require.Equal(t, 200, w.post("/throttle", both).Status)
}

// TestCalendarOverHTTP: a window of the calendar and a limit of 0, as the command has them.
func TestCalendarOverHTTP(t *testing.T) {
	w := newWeb(t)
	for body, command := range map[string]string{
		`"limit": 50000, "period": 0, "align": "month", "tz": "Europe/Berlin"`: "50000 0 1 ALIGN month TZ Europe/Berlin PEEK",
		`"limit": 50000, "period": 0, "align": "month", "day": 3`:              "50000 0 1 ALIGN month DAY 3 PEEK",
		`"limit": 50000, "period": 0, "align": "week", "day": "sunday"`:        "50000 0 1 ALIGN week DAY sunday PEEK",
	} {
		got := w.post("/throttle", `{"limiter": "window", "key": "k", "quantity": 7, `+body+`}`)
		require.Equal(t, 200, got.Status, got.Text)
		want := w.Do("CL.WINDOW k " + command).([]any)
		require.Equal(t, "49993", got.number("remaining"))
		require.Equal(t, got.number("reset_after"), fmt.Sprint(want[4]))
		w.Do("DEL k")
	}
	got := w.post("/throttle", `{"limiter": "window", "key": "k", "limit": 0, "period": 60}`)
	require.Equal(t, 429, got.Status)
	require.Equal(t, []string{"0", "0", "", `"window";q=0;w=60`},
		got.fields("X-RateLimit-Limit", "X-RateLimit-Remaining", "Retry-After", "RateLimit-Policy"))
	w.Do("CL.RULE SET api CL.WINDOW 5 60")
	w.Do("CL.RULE OVERRIDE api - mallory BLOCK")
	got = w.get("/check/api?key=mallory")
	require.Equal(t, 429, got.Status)
	require.Equal(t, []string{"0", "0", "", `"api";q=0`},
		got.fields("X-RateLimit-Limit", "X-RateLimit-Remaining", "Retry-After", "RateLimit-Policy"))
	w.Do("CL.RULE OVERRIDE api - probe ALLOW")
	require.Equal(t, 200, w.get("/check/api?key=probe&quantity=99").Status)
}

// number returns a number of the body as text.
func (r reply) number(name string) string {
	n, _ := r.Body[name].(interface{ String() string })
	if n == nil {
		return ""
	}
	return n.String()
}

func TestWrongThrottles(t *testing.T) {
	w := newWeb(t)
	for _, body := range wrongBodies {
		got := w.post("/throttle", body)
		require.Equal(t, []any{400, badRequest}, got.code(), "%s: %s", body, got.Text)
	}
	const right = `{"key": "w", "max_burst": 15, "count": 30, "period": 60}`
	require.Equal(t, 400, w.post("/throttle?peek", right).Status)
	require.Equal(t, 415, w.send("POST", "/throttle", right).Status, "without a Content-Type it is no JSON")
	require.Equal(t, 405, w.send("PUT", "/throttle", right).Status)
	w.Want("DBSIZE", 0)
}

// TestThrottleInWords: a limit in words is the limiter that it is in a rule.
func TestThrottleInWords(t *testing.T) {
	w := newWeb(t)
	for words, command := range map[string]string{
		"five a minute":                     "CL.LOG k 5 60 1",
		"1,000/hour":                        "CL.LOG k 1000 3600 1 RESOLUTION 36",
		"5 per second burst 20":             "CL.THROTTLE k 19 5 1 1",
		"9223372036854775807/minute":        "CL.LOG k 9223372036854775807 60 1 RESOLUTION 0.6",
		"100/minute in windows":             "CL.WINDOW k 100 60 1",
		"100/hour by the clock":             "CL.WINDOW k 100 3600 1 ALIGN",
		"1000 a day":                        "CL.WINDOW k 1000 0 1 ALIGN day",
		"1000 tokens a month in Asia/Tokyo": "CL.WINDOW k 1000 0 1 ALIGN month TZ Asia/Tokyo",
	} {
		got := w.post("/throttle", `{"key": "k", "limit": "`+words+`"}`)
		require.Equal(t, 200, got.Status, words)
		state := w.Do("DUMP k")
		w.Do("FLUSHALL")
		w.Do(command)
		require.Equal(t, state, w.Do("DUMP k"), words)
		w.Do("FLUSHALL")
	}
	for range 5 {
		require.Equal(t, 200, w.post("/throttle", `{"key": "k", "limit": "5/minute"}`).Status)
	}
	got := w.post("/throttle", `{"key": "k", "limit": "5/minute"}`)
	require.Equal(t, []any{429, []string{`"log";q=5;w=60`}, []string{"60"}},
		[]any{got.Status, got.fields("RateLimit-Policy"), got.fields("Retry-After")})
	for body, detail := range map[string]string{
		`"limit": "5/minuet"`:               "limit: 'minuet' is not a unit of time",
		`"limit": "5/minute per org"`:       "limit: 'per' 'org' is for rules",
		`"limit": "5/minute", "period": 60`: "period is there twice: limit says it in words",
		`"limit": "5 a day in Bonn"`:        "tz 'Bonn' is not a time zone",
		`"limit": "3 at once"`:              `no limit in words can: use CL.ACQUIRE key 3 lease holder, or "limiter": "acquire"`,
		`"limit": "5/minute and 9/hour"`:    "'and' cannot stand here",
		`"limit": "5/minute, 9/hour"`:       "a rule joins two limits with AND",
	} {
		got := w.post("/throttle", `{"key": "other", `+body+`}`)
		require.Equal(t, []any{400, badRequest}, got.code(), body)
		require.Contains(t, got.Body["detail"], detail)
	}
	require.Contains(t, w.post("/check/api", `{"key": "k", "limit": "5/minute"}`).Body["detail"], "POST /throttle")
	w.Want("EXISTS other", 0)
}
