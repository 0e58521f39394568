package service

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"cellserver/envoy/count/counttest"
	"cellserver/envoy/stats"
)

const oneRule = "domain: shop\ndescriptors: [{key: a, rate_limit: {unit: minute, requests_per_unit: 10}}]"

func ask(t *testing.T, f *fixture, hits uint32, texts ...string) *ratelimit.RateLimitResponse {
	t.Helper()
	r, err := f.ShouldRateLimit(context.Background(), asks(t, "shop", hits, texts...))
	require.NoError(t, err)
	return r
}

func TestBadRequestsHaveTheErrorsThatUsersKnow(t *testing.T) {
	f := newFixture(t, Options{}, oneRule)
	many := make([]string, maxDescriptors+1)
	for i := range many {
		many[i] = "a=1"
	}
	for _, c := range []struct {
		request *ratelimit.RateLimitRequest
		code    codes.Code
		text    string
	}{
		{asks(t, "", 0, "a=1"), codes.Unknown, "rate limit domain must not be empty"},
		{asks(t, "shop", 0), codes.Unknown, "rate limit descriptor list must not be empty"},
		{asks(t, "shop", 0, many...), codes.InvalidArgument, "rate limit descriptor list has 1025 descriptors, and 1024 are the most"},
		{asks(t, "shop", 0, "a=1 limit 5 UNKNOWN"), codes.InvalidArgument,
			"the limit of a descriptor has unit UNKNOWN: use SECOND, MINUTE, HOUR, DAY, WEEK, MONTH or YEAR"},
	} {
		_, err := f.ShouldRateLimit(context.Background(), c.request)
		require.Equal(t, c.code, status.Code(err))
		require.Equal(t, c.text, status.Convert(err).Message())
	}
	require.EqualValues(t, 4, f.serviceErrors.Value())
	require.Zero(t, f.store.Asked())
}

func TestWithoutRulesEveryRequestIsAnError(t *testing.T) {
	f := &fixture{store: counttest.New(), registry: stats.NewRegistry()}
	f.Service = New(f.store, f.registry, Options{})
	_, err := f.ShouldRateLimit(context.Background(), asks(t, "shop", 0, "a=1"))
	require.Equal(t, codes.Unknown, status.Code(err))
	require.Equal(t, "no rate limit configuration loaded", status.Convert(err).Message())
	f.load(t, oneRule)
	require.Equal(t, "OK: OK 9/10", says(ask(t, f, 0, "a=1")))
}

func TestAStoreThatIsAwayIsUnavailable(t *testing.T) {
	f := newFixture(t, Options{}, oneRule)
	f.store.Fail(errors.New("the store is away"))
	_, err := f.ShouldRateLimit(context.Background(), asks(t, "shop", 0, "a=1"))
	require.Equal(t, codes.Unavailable, status.Code(err))
	require.Equal(t, "the store is away", status.Convert(err).Message())
	require.EqualValues(t, 1, f.storeErrors.Value())

	r, err := f.ShouldRateLimit(context.Background(), asks(t, "shop", 0, "free=1"))
	require.NoError(t, err, "a request without a limit does not need the store")
	require.Equal(t, "OK: OK", says(r))
}

// Windows begin at the multiples of their length since the Unix epoch, and the reset is never 0.
func TestResetIsTheEndOfTheWindow(t *testing.T) {
	f := newFixture(t, Options{}, oneRule)
	seconds := func() int64 { return ask(t, f, 0, "a=1").GetStatuses()[0].GetDurationUntilReset().GetSeconds() }
	require.EqualValues(t, 20, seconds()) // 1000 s after the epoch
	f.store.Move(500 * time.Millisecond)
	require.EqualValues(t, 20, seconds())
	f.store.Move(19*time.Second + 499*time.Millisecond)
	require.EqualValues(t, 1, seconds())
	f.store.Move(time.Millisecond)
	require.EqualValues(t, 60, seconds())
}

// The counters have no limit in their names.
func TestCountersStayThroughAReload(t *testing.T) {
	f := newFixture(t, Options{}, strings.Replace(oneRule, ": 10", ": 5", 1))
	require.Equal(t, "OK: OK 2/5", says(ask(t, f, 3, "a=1")))
	f.load(t, oneRule)
	require.Equal(t, "OK: OK 6/10", says(ask(t, f, 1, "a=1")))
	f.load(t, strings.Replace(oneRule, ": 10", ": 3", 1))
	require.Equal(t, "OVER: OVER 0/3", says(ask(t, f, 1, "a=1")))
}

func TestHeadersTellTheTightestLimit(t *testing.T) {
	rules := `
domain: shop
descriptors:
  - {key: a, rate_limit: {unit: minute, requests_per_unit: 10}}
  - {key: b, rate_limit: {unit: hour, requests_per_unit: 5}}
  - {key: c, rate_limit: {unit: second, requests_per_unit: 1}}
  - {key: free, rate_limit: {unlimited: true}}
  - {key: huge, rate_limit: {unit: second, requests_per_unit: 4294967295}}
`
	f := newFixture(t, Options{Headers: &Headers{"L", "Rem", "Res"}}, rules)
	headers := func(texts ...string) (got []string) {
		for _, h := range ask(t, f, 0, texts...).GetResponseHeadersToAdd() {
			got = append(got, h.GetKey()+"="+h.GetValue())
		}
		return got
	}
	require.Nil(t, headers("none=1", "free=1"))
	require.Nil(t, headers("huge=1 +0"), "nothing is used of the largest limit")
	require.Equal(t, []string{"L=4294967295", "Rem=4294967294", "Res=1"}, headers("huge=1"))
	require.Equal(t, []string{"L=5", "Rem=4", "Res=2600"}, headers("a=1", "b=1", "free=1"))
	require.Equal(t, []string{"L=1", "Rem=0", "Res=1"}, headers("a=1", "c=1"))
	require.Equal(t, []string{"L=5", "Rem=0", "Res=2600"}, headers("c=1", "b=1 +9"), "the last one that refuses")
	require.Equal(t, []string{"L=1", "Rem=0", "Res=1"}, headers("c=1", "a=1"), "one that refuses wins")
	require.Nil(t, ask(t, newFixture(t, Options{}, rules), 0, "a=1").GetResponseHeadersToAdd())
}

func TestDynamicMetadataTellsTheRequest(t *testing.T) {
	f := newFixture(t, Options{DynamicMetadata: true}, `
domain: shop
descriptors:
  - {key: a, metadata: {x: 1, deep: {one: 1}, list: [1]}, rate_limit: {unit: hour, requests_per_unit: 10}}
  - {key: b, detailed_metric: true, metadata: {x: 2, y: 3, deep: {one: 2, two: 2}, list: [2]}, rate_limit: {unit: hour, requests_per_unit: 1}}
`)
	r := asks(t, "shop", 2, "a=1,", "b=1 +1", "a=2 limit 5 HOUR")
	answer, err := f.ShouldRateLimit(context.Background(), r)
	require.NoError(t, err)
	require.Equal(t, map[string]any{
		"domain": "shop", "hitsAddend": 2.0,
		"descriptors": []any{
			map[string]any{"entries": []any{"a=1", "="}},
			map[string]any{"entries": []any{"b=1"}, "hitsAddend": 1.0},
			map[string]any{"entries": []any{"a=2"}, "limit": r.GetDescriptors()[2].GetLimit().String()},
		},
		"metadata": map[string]any{"x": 2.0, "y": 3.0, "deep": map[string]any{"one": 2.0, "two": 2.0}, "list": []any{2.0}},
	}, answer.GetDynamicMetadata().AsMap())

	both := ask(t, f, 0, "a=1", "b=2").GetDynamicMetadata().AsMap()
	require.NotContains(t, both, "hitsAddend")
	require.Equal(t, map[string]any{
		"x": 1.0, "y": 3.0, "deep": map[string]any{"one": 1.0, "two": 2.0}, "list": []any{1.0},
	}, both["metadata"], "the first rule wins, and the rules stay as they are")
	require.Equal(t, 2.0, f.Rules().Rules[1].Metadata.AsMap()["x"])
	over := ask(t, f, 0, "a=1", "b=2").GetDynamicMetadata().AsMap()
	require.Equal(t, map[string]any{"x": 1.0, "deep": map[string]any{"one": 1.0}, "list": []any{1.0}}, over["metadata"])
}

func TestTheAnswerHasTheNameOfTheRule(t *testing.T) {
	f := newFixture(t, Options{}, "domain: shop\ndescriptors: [{key: a, rate_limit: {name: gold, unit: month, requests_per_unit: 10}}]")
	limit := ask(t, f, 0, "a=1").GetStatuses()[0].GetCurrentLimit()
	require.Equal(t, "gold", limit.GetName())
	require.Equal(t, ratelimit.RateLimitResponse_RateLimit_MONTH, limit.GetUnit())
}

// Clients that choose values must fill neither the metrics nor the rules.
func TestAMillionValuesDoNotFillTheMetrics(t *testing.T) {
	f := newFixture(t, Options{}, `
domain: shop
descriptors: [{key: a, detailed_metric: true, rate_limit: {unit: minute, requests_per_unit: 10}}]
`)
	for i := range 60_000 {
		texts := []string{fmt.Sprintf("a=%d", i), fmt.Sprintf("b=%d limit 5 HOUR", i)}
		ask(t, f, 0, texts...)
		_, err := f.ShouldRateLimit(context.Background(), asks(t, fmt.Sprint("domain", i), 0, "a=1", "b=1"))
		require.NoError(t, err)
	}
	sink := &countingSink{counters: map[string]uint64{}}
	f.registry.Flush(sink, nil)
	require.Less(t, len(sink.counters), 80_000)
	require.EqualValues(t, 60_000, sink.sum("shop.a", ".total_hits"), "no hit is lost")
	require.EqualValues(t, 60_000, sink.sum("shop.b", ".total_hits")+sink.sum("shop.other", ".total_hits"))
	require.EqualValues(t, 120_000, sink.sum("", ".domain_not_found"), "one for each descriptor")
}

// A countingSink keeps what is flushed.
type countingSink struct {
	counters map[string]uint64
	timers   []float64
	gauges   map[string]uint64
}

func (s *countingSink) FlushCounter(name string, value uint64) { s.counters[name] += value }
func (s *countingSink) FlushGauge(name string, value uint64)   { s.gauges[name] = value }
func (s *countingSink) FlushTimer(_ string, ms float64)        { s.timers = append(s.timers, ms) }
func (s *countingSink) Flush()                                 {}

// sum adds the counters of the names with a beginning and an end.
func (s *countingSink) sum(begin, end string) (sum uint64) {
	for name, value := range s.counters {
		if strings.HasPrefix(name, "ratelimit.service.rate_limit."+begin) && strings.HasSuffix(name, end) {
			sum += value
		}
	}
	return sum
}

// flushed returns what a rule has counted since the last call.
func (f *fixture) flushed(key string) map[string]uint64 {
	sink := &countingSink{counters: map[string]uint64{}}
	f.registry.Flush(sink, nil)
	counted := map[string]uint64{}
	for name, value := range sink.counters {
		if stat, ok := strings.CutPrefix(name, "ratelimit.service.rate_limit."+key+"."); ok {
			counted[stat] = value
		}
	}
	return counted
}

func TestMetricsOfARule(t *testing.T) {
	f := newFixture(t, Options{NearLimit: 0.8}, `
domain: shop
descriptors:
  - {key: a, rate_limit: {unit: minute, requests_per_unit: 10}}
  - {key: dark, shadow_mode: true, rate_limit: {unit: minute, requests_per_unit: 1}}
  - {key: path, value: /x*, detailed_metric: true, rate_limit: {unit: minute, requests_per_unit: 10}}
`)
	ask(t, f, 7, "a=1")
	require.Equal(t, map[string]uint64{"total_hits": 7, "within_limit": 7}, f.flushed("shop.a"))
	ask(t, f, 5, "a=1")
	require.Equal(t, map[string]uint64{"total_hits": 5, "near_limit": 2, "over_limit": 2}, f.flushed("shop.a"))
	ask(t, f, 3, "a=1")
	require.Equal(t, map[string]uint64{"total_hits": 3, "over_limit": 3}, f.flushed("shop.a"))
	ask(t, f, 9, "a=2")
	ask(t, f, 1, "a=2")
	require.Equal(t, map[string]uint64{"total_hits": 10, "within_limit": 10, "near_limit": 2}, f.flushed("shop.a"))
	ask(t, f, 0, "a=3 +0", "a=2 -2")
	require.Empty(t, f.flushed("shop.a"))
	ask(t, f, 3, "dark=1")
	require.Equal(t, map[string]uint64{"total_hits": 3, "near_limit": 1, "over_limit": 2, "shadow_mode": 2}, f.flushed("shop.dark"))
	ask(t, f, 0, "path=/x:10.1.2.3|")
	require.Equal(t, map[string]uint64{"total_hits": 1, "within_limit": 1}, f.flushed("shop.path_/x_10_1_2_3_"))
}

// Hits of 2^64-1 would take one from a counter that wraps.
func TestNoRequestTakesHitsFromTheMetrics(t *testing.T) {
	f := newFixture(t, Options{}, oneRule)
	ask(t, f, 20, "a=1")
	rule, last := f.rules.Load().stats[0], uint64(20)
	for range 3 {
		ask(t, f, 0, "a=1 +18446744073709551615", "a=2 +9223372036854775808")
		require.Greater(t, rule.TotalHits.Value(), last)
		require.Greater(t, rule.OverLimit.Value(), last-20)
		last = rule.TotalHits.Value()
	}
}
