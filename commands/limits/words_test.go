package limits

import (
	"strings"
	"testing"

	"cellserver/commands"
	"cellserver/server/servertest"
)

// TestWordsOfARule: the error of a wrong word repeats the word, and says what may stand there.
func TestWordsOfARule(t *testing.T) {
	h := servertest.New(t)
	const limiters, options = ": use CL.THROTTLE, CL.WINDOW, CL.SLIDING, CL.LOG, BLOCK, ALLOW, or words such as 100/minute", " in a rule: use ALIGN, TZ, DAY"
	const seconds = " is not a number of seconds: 60 or 0.25, at most 9223372036, with at most nine decimals"
	for line, want := range map[string]string{
		"CL.RULE SET api minute":                         "'minute' is not a limiter of a rule" + limiters,
		"CL.RULE SET api CL.BUCKET 1 2 3":                "'CL.BUCKET' is not a limiter of a rule" + limiters,
		"CL.RULE SET api CL.ACQUIRE 5 60":                "'CL.ACQUIRE' is not a limiter of a rule" + limiters,
		"CL.RULE SET api CL.WINDOW 10 1m":                "period '1m'" + seconds,
		"CL.RULE SET api CL.WINDOW 10 60 EVERY":          "syntax error: 'EVERY' is not an option of CL.WINDOW" + options,
		"CL.RULE SET api CL.THROTTLE 4 5 1m":             "period '1m' is not a whole number of seconds, such as 60, or out of range",
		"CL.RULE SET api CL.LOG 5 60 GAP 61":             "gap '61' must not be negative or longer than period",
		"CL.RULE OVERRIDE rule - k CL.WINDOW 5 x":        "period 'x'" + seconds,
		"CL.WINDOW k 10 0 1 ALIGN hour":                  "ALIGN 'hour': use day, week, month, year, or no word for multiples of the period",
		"CL.WINDOW k 10 0 1 ALIGN day TZ Bonn":           "tz 'Bonn' is not a time zone such as Europe/Berlin",
		"CL.WINDOW k 10 1m":                              "period '1m'" + seconds,
		"CL.CHECK nope k":                                "no such rule: 'nope'",
		"CL.RULE OVERRIDE nope - k CL.WINDOW 1 1":        "no such rule: 'nope'",
		"CL.LOG k 5 60 GAP " + strings.Repeat("7", 9000): "gap '" + strings.Repeat("7", 40) + "…'" + seconds,
		`CL.WINDOW k "1\r\n2" 60`:                        "limit '1??2' is not an integer or out of range",
	} {
		h.Do("CL.RULE SET rule CL.WINDOW 10 60")
		h.Want(line, commands.Error("ERR "+want))
	}
	h.Want("EXISTS k", 0)
}
