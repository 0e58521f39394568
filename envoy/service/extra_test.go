package service

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"cellserver/envoy/config"
	"cellserver/envoy/count"
	"cellserver/envoy/extra"
)

const extraRules = `
domain: shop
descriptors:
  - {key: a, rate_limit: {name: gold, unit: minute, requests_per_unit: 10}}
  - {key: b, rate_limit: {unit: minute, requests_per_unit: 2}}
  - {key: free, rate_limit: {unlimited: true}}
`

// extended makes a service whose rules have a second file.
func extended(t *testing.T, more string) *fixture {
	t.Helper()
	f := newFixture(t, Options{}, extraRules)
	file, err := config.Parse("config.a.yaml", []byte(extraRules))
	require.NoError(t, err)
	set, err := config.Build([]config.File{file}, false)
	require.NoError(t, err)
	second, err := extra.Parse([]byte(more))
	require.NoError(t, err)
	unknown, err := set.Extend(second)
	require.NoError(t, err)
	require.Empty(t, unknown)
	f.Use(set)
	return f
}

func TestSeveralLimitsOnOneDescriptor(t *testing.T) {
	f := extended(t, "rules: {shop.a: {limits: [{limit: 3, period: 1s}, {limit: 5, period: 24h}]}}")
	require.Equal(t, "OK: OK 0/3", says(ask(t, f, 3, "a=1")))
	require.Equal(t, "OVER: OVER 0/3", says(ask(t, f, 1, "a=1")))
	f.store.Move(time.Second)
	r := ask(t, f, 0, "a=1 +0")
	require.Equal(t, "OK: OK 1/5", says(r), "the limit that leaves the least")
	require.Equal(t, "DAY", r.GetStatuses()[0].GetCurrentLimit().GetUnit().String())
	require.Equal(t, "gold", r.GetStatuses()[0].GetCurrentLimit().GetName())
	require.Equal(t, "OVER: OVER 0/5", says(ask(t, f, 2, "a=1")))
	r = ask(t, f, 4, "a=1")
	require.Equal(t, "OVER: OVER 0/5", says(r), "both refuse, and this one for longer")
	require.EqualValues(t, 24*3600-1001, r.GetStatuses()[0].GetDurationUntilReset().GetSeconds())
}

func TestAnyPeriod(t *testing.T) {
	f := extended(t, "rules: {shop.a: {unit_multiplier: 15}}")
	r := ask(t, f, 1, "a=1")
	require.Equal(t, "OK: OK 9/10", says(r))
	require.EqualValues(t, 800, r.GetStatuses()[0].GetDurationUntilReset().GetSeconds(), "a quarter of an hour, aligned")
	require.Equal(t, "UNKNOWN", r.GetStatuses()[0].GetCurrentLimit().GetUnit().String())
}

func TestADomainMayCountAllOrNothing(t *testing.T) {
	f := extended(t, "domains: {shop: {all_or_none: true}}")
	require.Equal(t, "OVER: OK 10/10, OVER 0/2", says(ask(t, f, 3, "a=1", "b=1")))
	require.Equal(t, "OK: OK 8/10, OK 0/2", says(ask(t, f, 2, "a=1", "b=1")))
}

func TestARefusalNamesItsRule(t *testing.T) {
	f := extended(t, "answer: {rule_header: X-Rule, retry_after: true, metadata: true}")
	require.Empty(t, ask(t, f, 1, "a=1", "b=1").GetResponseHeadersToAdd())
	r := ask(t, f, 5, "a=1", "b=1")
	require.Equal(t, "X-Rule", r.GetResponseHeadersToAdd()[0].GetKey())
	require.Equal(t, "shop.b", r.GetResponseHeadersToAdd()[0].GetValue())
	require.Equal(t, "Retry-After", r.GetResponseHeadersToAdd()[1].GetKey())
	require.Equal(t, "20", r.GetResponseHeadersToAdd()[1].GetValue())
	require.Equal(t, []any{"shop.b"}, r.GetDynamicMetadata().AsMap()["refused_by"])
}

// A value of a request is a part of the name if the request brings the limit.
func TestTheHeaderOfARuleIsOneHeader(t *testing.T) {
	f := extended(t, "answer: {rule_header: X-Rule}")
	asked := asks(t, "shop", 9, "a=1 limit 5 HOUR")
	asked.Descriptors[0].Entries[0].Value = "1\r\nset-cookie: x\x00"
	r, err := f.ShouldRateLimit(context.Background(), asked)
	require.NoError(t, err)
	require.Equal(t, "shop.a_1__set-cookie: x_", r.GetResponseHeadersToAdd()[0].GetValue())
}

// A sooner is a store that says when a hit fits, if its window ends later.
type sooner struct{ count.Counter }

func (s sooner) Count(ctx context.Context, r count.Request) ([]count.Result, error) {
	results, err := s.Counter.Count(ctx, r)
	for i := range results {
		if results[i].Over && results[i].Reset > 15*time.Second {
			results[i].Retry = 1500 * time.Millisecond
		}
	}
	return results, err
}

// A burst takes minutes to come back, and one of its hits seconds.
func TestRetryAfterIsWhenTheHitsFit(t *testing.T) {
	f := extended(t, "answer: {retry_after: true}")
	f.counter = sooner{f.store}
	require.Equal(t, "2", ask(t, f, 5, "b=1").GetResponseHeadersToAdd()[0].GetValue())
}

// The limit of the others takes longer to come back, and lets the hits pass sooner.
func TestRetryAfterIsWhenTheHitsFitAllLimits(t *testing.T) {
	f := extended(t, "answer: {retry_after: true}\n"+
		"rules: {shop.a: {limits: [{limit: 1, period: 1h}, {limit: 2, period: 15s}, {limit: 1, period: 24h}]}}")
	f.counter = sooner{f.store}
	r := ask(t, f, 3, "a=1")
	require.Equal(t, "OVER: OVER 0/2", says(r))
	require.EqualValues(t, 5, r.GetStatuses()[0].GetDurationUntilReset().GetSeconds())
	require.Equal(t, "5", r.GetResponseHeadersToAdd()[0].GetValue())
}

// A quota that is used up does not refuse what another rule refuses.
func TestARefusalNamesNoQuotaThatDoesNotRefuse(t *testing.T) {
	f := extended(t, "answer: {rule_header: X-Rule, retry_after: true, metadata: true}")
	f.rules.Load().set.Rules[0].Modes.Quota = true // of a
	r := ask(t, f, 11, "a=1", "b=1", "free=1")
	require.Equal(t, "OVER: OVER 0/10, OVER 0/2, OK free", says(r))
	require.Equal(t, "shop.b", r.GetResponseHeadersToAdd()[0].GetValue())
	require.Equal(t, []any{"shop.b"}, r.GetDynamicMetadata().AsMap()["refused_by"])
	r = ask(t, f, 1, "a=1")
	require.Equal(t, []any{"shop.a"}, r.GetDynamicMetadata().AsMap()["refused_by"])
}

// A month of the calendar is a fixed window. Another algorithm has none.
func TestACalendarMonthIsForFixedWindows(t *testing.T) {
	f := extended(t, "rules: {shop.a: {limits: [{limit: 3, period: 720h, algorithm: gcra}, {limit: 5, period: 720h}]}}")
	f.options.CalendarMonths = true
	c := &call{service: f.Service, request: asks(t, "shop", 1, "a=1")}
	require.NoError(t, c.match())
	require.Empty(t, c.hits[0].Calendar)
	require.Equal(t, "month", c.hits[1].Calendar)
}

// An engine refuses such limits, and each request would be an error.
func TestLimitsThatDoNotCountRefuseTheFile(t *testing.T) {
	for text, want := range map[string]string{
		"limits: [{limit: 1000000000, period: 1s, algorithm: sliding_window}]": "limit 1000000000 of sliding_window: limit must be from 0 to 999999999",
		"limits: [{limit: 4000000000, period: 1s, algorithm: gcra}]":           "limit 4000000000, period 1s and burst 4000000000 are too much for gcra",
		"limits: [{limit: 0, period: 1s, algorithm: gcra, burst: 5}]":          "limit 0: gcra needs at least 1: use another algorithm to refuse all",
		"algorithm: gcra, burst: 9223372036854775807":                          "limit 10, period 1m0s and burst 9223372036854775807 are too much for gcra",
	} {
		file, err := config.Parse("config.a.yaml", []byte(extraRules))
		require.NoError(t, err)
		set, err := config.Build([]config.File{file}, false)
		require.NoError(t, err)
		second, err := extra.Parse([]byte("rules: {shop.a: {" + text + "}}"))
		require.NoError(t, err, text)
		_, err = set.Extend(second)
		require.EqualError(t, err, "shop.a: "+want)
	}
}

func TestRulesSayWhatHoldsWhileTheStoreIsAway(t *testing.T) {
	f := extended(t, "rules: {shop.a: {on_failure: allow}, shop.b: {on_failure: deny}}")
	f.store.Fail(errors.New("away"))
	require.Equal(t, "OK: OK", says(ask(t, f, 1, "a=1")))
	require.Equal(t, "OVER: OK, OVER", says(ask(t, f, 1, "a=1", "b=1")))
	_, err := f.ShouldRateLimit(context.Background(), asks(t, "shop", 0, "a=1", "a=1 limit 5 HOUR"))
	require.Equal(t, codes.Unavailable, status.Code(err), "an override says nothing")
	require.EqualValues(t, 3, f.storeErrors.Value())
}

// A Redis that has no algorithm of a rule never has it. A rule that allows would never hold, and nobody would know.
func TestNoRuleAllowsWhatTheStoreNeverCounts(t *testing.T) {
	f := extended(t, "rules: {shop.a: {algorithm: gcra, on_failure: allow}, shop.b: {on_failure: deny}}")
	f.store.Fail(fmt.Errorf("%w: a Redis does not count by the algorithm gcra", count.ErrUnsupported))
	_, err := f.ShouldRateLimit(context.Background(), asks(t, "shop", 0, "a=1"))
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.ErrorContains(t, err, "a Redis does not count by the algorithm gcra")
	require.Equal(t, "OVER: OK, OVER", says(ask(t, f, 1, "a=1", "b=1")))
}
