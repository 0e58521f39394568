package phrase

import (
	"slices"
	"strings"

	"cellserver/internal/word"
)

// unit is a unit of time.
type unit struct {
	name      string
	nanos     int64 // 0 for a month, which has no fixed length
	calendar  bool  // one of it is a day, a week or a month of the calendar
	spellings []string
}

var units = []unit{
	{"ms", 1e6, false, []string{"ms", "msec", "msecs", "millisecond", "milliseconds"}},
	{"second", 1e9, false, []string{"s", "sec", "secs", "second", "seconds"}},
	{"minute", 60e9, false, []string{"m", "min", "mins", "minute", "minutes"}},
	{"hour", hour, false, []string{"h", "hr", "hrs", "hour", "hours"}},
	{"day", day, true, []string{"d", "day", "days"}},
	{"week", 7 * day, true, []string{"w", "wk", "wks", "week", "weeks"}},
	{"month", 0, true, []string{"mo", "month", "months"}},
}

const (
	hour = int64(3600e9)
	day  = 24 * hour
)

const useUnits = "use ms, second, minute, hour, day, week or month"

// unitOf returns the unit that a word spells, nil for another word. The letter M is a million.
func unitOf(name string) *unit {
	for i := range units {
		if name != "M" && slices.Contains(units[i].spellings, strings.ToLower(name)) {
			return &units[i]
		}
	}
	return nil
}

// nouns may follow the count, also with an s. They are for the reader: a limiter counts what a request says.
// Other words are refused, because one such as dozen or percent would change the number.
var nouns = strings.Fields("action attempt byte call cent character click comment credit document dollar " +
	"download email error euro event execution export file hit image import invitation invocation item job " +
	"login mail message notification op operation order packet page payment photo ping point post purchase " +
	"queries query read record refund reply req report request retries retry row run search searches " +
	"signup sms step task time token transaction transfer tries try unit upload view visit vote word write")

// isNoun reports whether a word in lower case is a noun.
func isNoun(name string) bool {
	return slices.Contains(nouns, name) || slices.Contains(nouns, strings.TrimSuffix(name, "s"))
}

// instead has words that people write, and what to write instead.
var instead = map[string]string{
	"hourly": "an hour", "daily": "a day", "weekly": "a week", "monthly": "a month",
	"rps": "/second", "qps": "/second", "rpm": "/minute", "rph": "/hour", "tps": "/second",
	"year": "per 365 days", "years": "per 365 days", "y": "per 365 days", "yr": "per 365 days",
	"quarter": "per 90 days", "fortnight": "per 2 weeks", "tpm": "tokens/minute",
	"k": "1k", "thousand": "1k", "million": "1M", "billion": "1G",
	"minutely": "/minute", "yearly": "per 365 days", "annually": "per 365 days",
}

// hint is the end of an error about a word: what to write instead, or another word that is near.
func hint(wrong string, known []string) string {
	if text := instead[strings.ToLower(wrong)]; text != "" {
		return "; write " + text
	}
	if near, ok := word.Nearest(wrong, known); ok && len(wrong) > 1 && !strings.EqualFold(near, wrong) {
		return "; did you mean " + near + "?"
	}
	return ""
}

// spellings are those of all units. longSpellings have at least 4 letters.
var spellings, longSpellings = allSpellings()

func allSpellings() (all, long []string) {
	for i := range units {
		for _, s := range slices.Backward(units[i].spellings) {
			all = append(all, s)
			if len(s) >= 4 {
				long = append(long, s)
			}
		}
	}
	return all, long
}
