package extra

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

func TestAWholeFile(t *testing.T) {
	f, err := Parse([]byte(`
rules:
  shop.user:
    limits:
      - {limit: 5, period: 1s}
      - {limit: 100, period: 90s, algorithm: sliding_window}
      - {limit: 10, period: 1m, algorithm: gcra, burst: 3}
      - {limit: 1000, calendar: month, zone: Europe/Berlin}
    on_failure: deny
  shop.team: {unit_multiplier: 15, algorithm: log}
domains: {shop: {all_or_none: true}}
answer: {rule_header: X-Rule, retry_after: true, metadata: true}
`))
	require.NoError(t, err)
	require.Equal(t, Limit{Limit: 100, Period: 90 * time.Second, Algorithm: "sliding_window"}, f.Rules["shop.user"].Limits[1])
	require.Equal(t, 15, f.Rules["shop.team"].UnitMultiplier)
	require.True(t, f.Domains["shop"].AllOrNone)
	require.Equal(t, Answer{"X-Rule", true, true}, f.Answer)
	empty, err := Parse(nil)
	require.NoError(t, err)
	require.Empty(t, empty.Rules)
}

func TestFaultsNameTheRule(t *testing.T) {
	for text, want := range map[string]string{
		"a: null":                                                       "a: the rule has nothing: remove it",
		"a: {unit_multiplier: -1}":                                      "a: unit_multiplier -1: it must be from 1 to 1000000",
		"a: {algorithm: leaky}":                                         "a: algorithm 'leaky': it must be fixed_window, sliding_window, gcra or log",
		"a: {burst: 5}":                                                 "a: burst 5 is for the algorithm gcra",
		"a: {on_failure: shrug}":                                        "a: on_failure 'shrug': it must be allow or deny",
		"a: {limits: [{limit: 1}]}":                                     "a: period 0s: it must be whole milliseconds such as 90s or 24h, at most 10 years",
		"a: {limits: [{limit: 1, period: 100us}]}":                      "a: period 100µs: it must be whole milliseconds such as 90s or 24h, at most 10 years",
		"a: {limits: [{limit: 1, period: 1s, calendar: day}]}":          "a: a limit has the period 1s and calendar day: leave one out",
		"a: {limits: [{limit: 1, calendar: hour}]}":                     "a: calendar 'hour': it must be day, week, month or year",
		"a: {limits: [{limit: 1, period: 1s, zone: UTC}]}":              "a: zone 'UTC' needs a calendar: day, week, month or year",
		"a: {limits: [{limit: 1, calendar: day, algorithm: log}]}":      "a: algorithm 'log' has no calendar: leave one out",
		"a: {limits: [{limit: 1, period: 1s}, {limit: 2, period: 1s}]}": "a: two limits have the same window and algorithm: keep the smaller one",
		"a: {limits: [{limit: 1, period: 60s}, {limit: 2, period: 1m, algorithm: fixed_window}]}": "a: two limits have the same window and algorithm: keep the smaller one",
		"a: {unit_multiplier: 2, limits: [{limit: 1, period: 1s}]}":                               "a: limits replace the limit of the rule: put algorithm and burst into them, and leave out unit_multiplier",
	} {
		_, err := Parse([]byte("rules: {" + text + "}"))
		require.EqualError(t, err, want)
	}
	_, err := Parse([]byte("rules: {a: {limits: [{limit: 1, calendar: day, zone: Mars}]}}"))
	require.ErrorContains(t, err, "a: zone 'Mars': ")
	_, err = Parse([]byte("rules: {}\n---\nrules: {}\n"))
	require.EqualError(t, err, "the file has more than one YAML document: join them")
	_, err = Parse([]byte("rules: {a: {quota: 5}}"))
	require.ErrorContains(t, err, "field quota not found")
}
