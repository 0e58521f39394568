package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	typev3 "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	xds "github.com/envoyproxy/go-control-plane/ratelimit/config/ratelimit/v3"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"cellserver/envoy/extra"
)

// build builds the rules of files, given as their texts.
func build(t *testing.T, merge bool, texts ...string) (*Set, error) {
	t.Helper()
	var files []File
	for i, text := range texts {
		f, err := Parse(fmt.Sprintf("config.%c.yaml", 'a'+i), []byte(text))
		if err != nil {
			return nil, err
		}
		files = append(files, f)
	}
	return Build(files, merge)
}

// descriptor reads a descriptor such as "user=bob,class=guest".
func descriptor(text string) *common.RateLimitDescriptor {
	d := &common.RateLimitDescriptor{}
	if text == "" {
		return d
	}
	for _, entry := range strings.Split(text, ",") {
		key, value, _ := strings.Cut(entry, "=")
		d.Entries = append(d.Entries, &common.RateLimitDescriptor_Entry{Key: key, Value: value})
	}
	return d
}

// Each fault of a file has the text that users of the service know.
func TestFaultsOfFilesHaveTheirTexts(t *testing.T) {
	var cases []struct{ Name, File, Second, Error string }
	content, err := os.ReadFile(filepath.Join("testdata", "faults.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(content, &cases))
	require.Greater(t, len(cases), 20)
	for _, c := range cases {
		texts := []string{c.File}
		if c.Second != "" {
			texts = append(texts, c.Second)
		}
		_, err := build(t, false, texts...)
		require.Error(t, err, c.Name)
		if prefix, ok := strings.CutSuffix(c.Error, "…"); ok {
			require.True(t, strings.HasPrefix(err.Error(), prefix), "%s: %v", c.Name, err)
			continue
		}
		require.EqualError(t, err, c.Error, c.Name)
	}
}

// Each request finds the rule that the service finds.
func TestRequestsFindTheirRules(t *testing.T) {
	var cases []struct {
		Rules string
		Finds map[string]string
	}
	content, err := os.ReadFile(filepath.Join("testdata", "matches.yaml"))
	require.NoError(t, err)
	require.NoError(t, yaml.Unmarshal(content, &cases))
	require.NotEmpty(t, cases)
	for _, c := range cases {
		set, err := build(t, false, "domain: d\ndescriptors:\n"+c.Rules)
		require.NoError(t, err, c.Rules)
		for request, want := range c.Finds {
			m, err := set.Find("d", descriptor(request))
			require.NoError(t, err)
			got := "none"
			if m.Rule != nil {
				got = fmt.Sprintf("%s %d/%s", m.Rule.FullKey, m.Rule.Limit.GetRequestsPerUnit(), m.Rule.Limit.GetUnit())
			}
			if m.Rule != nil && m.Rule.Unlimited {
				got = m.Rule.FullKey + " unlimited"
			}
			require.Equal(t, want, got, "%s with\n%s", request, c.Rules)
		}
	}
}

func counterNames(t *testing.T, set *Set, requests ...string) (names []string) {
	t.Helper()
	for _, r := range requests {
		m, err := set.Find("d", descriptor(r))
		require.NoError(t, err)
		require.NotNil(t, m.Rule, r)
		names = append(names, m.Counter)
	}
	return names
}

// Theirs joins keys and values by "_", so that other descriptors share a counter.
func TestNoCounterJoinsTwoDescriptors(t *testing.T) {
	set, err := build(t, false, `
domain: d
descriptors:
  - key: u
    rate_limit: {unit: hour, requests_per_unit: 1}
    descriptors:
      - {key: w, rate_limit: {unit: hour, requests_per_unit: 1}}
  - {key: u_9, rate_limit: {unit: hour, requests_per_unit: 1}}
  - {key: "u=1:w", rate_limit: {unit: hour, requests_per_unit: 1}}
`)
	require.NoError(t, err)
	long := strings.Repeat("x", 5000)
	names := counterNames(t, set, "u=1_w_2", "u=1,w=2", "u=1", "u_9=w_2", "u_9=", "u=%", "u=%25", "u="+long, "u="+long+"y")
	names = append(names, mustFind(t, set, entries("u=1:w", "2")).Counter, mustFind(t, set, entries("u", "1:w=2")).Counter,
		mustFind(t, set, entries("u", "{1}")).Counter)
	seen := map[string]bool{}
	for _, name := range names {
		require.False(t, seen[name], name)
		require.NotContains(t, name, "{")
		require.LessOrEqual(t, len(name), maxCounterName)
		seen[name] = true
	}
}

func entries(pairs ...string) *common.RateLimitDescriptor {
	d := &common.RateLimitDescriptor{}
	for i := 0; i < len(pairs); i += 2 {
		d.Entries = append(d.Entries, &common.RateLimitDescriptor_Entry{Key: pairs[i], Value: pairs[i+1]})
	}
	return d
}

func mustFind(t *testing.T, set *Set, d *common.RateLimitDescriptor) Match {
	t.Helper()
	m, err := set.Find("d", d)
	require.NoError(t, err)
	require.NotNil(t, m.Rule)
	return m
}

func TestSharedThresholdsShareACounter(t *testing.T) {
	set, err := build(t, false, `
domain: d
descriptors:
  - key: file
    value: /img/*
    share_threshold: true
    rate_limit: {unit: second, requests_per_unit: 9}
    descriptors:
      - {key: user, rate_limit: {unit: second, requests_per_unit: 9}}
  - key: file
    value: /doc/*
    rate_limit: {unit: second, requests_per_unit: 9}
  - key: us*
    share_threshold: true
    rate_limit: {unit: second, requests_per_unit: 9}
`)
	require.NoError(t, err)
	n := counterNames(t, set, "file=/img/a", "file=/img/b", "file=/doc/a", "file=/doc/b",
		"file=/img/a,user=1", "file=/img/b,user=1", "file=/img/b,user=2", "user=1", "user=2", "usage=1")
	require.Equal(t, n[0], n[1])
	require.NotEqual(t, n[2], n[3])
	require.Equal(t, n[4], n[5])
	require.NotEqual(t, n[5], n[6])
	require.Equal(t, n[7], n[8])
	require.NotEqual(t, n[8], n[9], "a pattern for keys counts for each key")
}

func TestMetricsHaveTheValuesThatRulesAskFor(t *testing.T) {
	set, err := build(t, false, `
domain: d
descriptors:
  - key: plain
    rate_limit: {unit: second, requests_per_unit: 9}
  - key: path
    value: /api/*
    detailed_metric: true
    rate_limit: {unit: second, requests_per_unit: 9}
  - key: deep
    descriptors:
      - key: user
        detailed_metric: true
        rate_limit: {unit: second, requests_per_unit: 9}
      - key: team
        value_to_metric: true
        rate_limit: {unit: second, requests_per_unit: 9}
  - key: img
    value: a*
    share_threshold: true
    value_to_metric: true
    rate_limit: {unit: second, requests_per_unit: 9}
    descriptors:
      - key: user
        detailed_metric: true
        rate_limit: {unit: second, requests_per_unit: 9}
  - key: us*
    rate_limit: {unit: second, requests_per_unit: 9}
  - key: my
    value: "*"
    rate_limit: {unit: second, requests_per_unit: 9}
`)
	require.NoError(t, err)
	for request, want := range map[string]string{
		"plain=1": "", "path=/api/x": "d.path_/api/x", "deep=1,user=2": "d.deep_1.user_2",
		"deep=1,team=2": "d.deep.team_2", "img=abc": "d.img_a*",
		"deep=1,user=": "d.deep_1.user_", "img=abc,user=": "d.img_a*.user", "img=abc,user=2": "d.img_a*.user_2",
		"user=1": "d.user_us*", "my=1": "", "my_key=1": "d.my_key_my_*",
		"us*=1": "d.us*_us*",
	} {
		require.Equal(t, want, mustFind(t, set, descriptor(request)).Metric, request)
	}
}

func TestOverrides(t *testing.T) {
	set, err := build(t, false, "domain: d\ndescriptors: [{key: user, rate_limit: {unit: hour, requests_per_unit: 1}}]")
	require.NoError(t, err)
	d := descriptor("user=bob,other=")
	d.Limit = &common.RateLimitDescriptor_RateLimitOverride{RequestsPerUnit: 7, Unit: 7}
	m := mustFind(t, set, d)
	require.Equal(t, "d.user_bob.other", m.Rule.FullKey)
	require.Equal(t, "WEEK", m.Rule.Limit.GetUnit().String())
	require.Equal(t, 7*day, m.Rule.Limits[0].Hit.Period)

	rule := mustFind(t, set, descriptor("user=bob"))
	d = descriptor("user=bob")
	d.Limit = &common.RateLimitDescriptor_RateLimitOverride{RequestsPerUnit: 7, Unit: typev3.RateLimitUnit_HOUR}
	require.Equal(t, rule.Counter, mustFind(t, set, d).Counter, "an override of the same unit uses the counter of the rule")

	m = mustFind(t, set, &common.RateLimitDescriptor{Limit: d.GetLimit()})
	require.Equal(t, "d.", m.Rule.FullKey, "an override without entries")
	m, err = set.Find("unknown", d)
	require.NoError(t, err)
	require.Nil(t, m.Rule, "an override needs a known domain")
}

// Theirs ends with a panic.
func TestAnOverrideWithoutAUnitIsAnError(t *testing.T) {
	set, err := build(t, false, "domain: d")
	require.NoError(t, err)
	for _, unit := range []typev3.RateLimitUnit{0, 8, -1} {
		d := descriptor("user=bob")
		d.Limit = &common.RateLimitDescriptor_RateLimitOverride{RequestsPerUnit: 7, Unit: unit}
		_, err := set.Find("d", d)
		require.ErrorContains(t, err, "use SECOND, MINUTE")
	}
}

func TestFilesOfOneDomainAreMerged(t *testing.T) {
	a := "domain: d\ndescriptors: [{key: a, rate_limit: {unit: hour, requests_per_unit: 1}}]"
	b := "domain: d\ndescriptors: [{key: b, rate_limit: {unit: hour, requests_per_unit: 1}}]"
	set, err := build(t, true, a, b)
	require.NoError(t, err)
	require.Len(t, set.Rules, 2)
	_, err = build(t, true, a, a)
	require.EqualError(t, err, "config.b.yaml: duplicate descriptor composite key 'd.a'")
}

// The nanoseconds of 300 years are below 0, and those of 585 years are 18 days.
func TestAPeriodIsAtMostTenYears(t *testing.T) {
	for times, isGood := range map[int]bool{1: true, 10: true, 11: false, 300: false, 585: false, 1_000_000: false} {
		s, err := build(t, false, "domain: d\ndescriptors: [{key: a, rate_limit: {unit: year, requests_per_unit: 1}}]")
		require.NoError(t, err)
		_, err = s.Extend(&extra.File{Rules: map[string]*extra.Rule{"d.a": {UnitMultiplier: times}}})
		if isGood {
			require.NoError(t, err)
			continue
		}
		require.EqualError(t, err, fmt.Sprintf("d.a: unit_multiplier %d: the period is longer than 10 years", times))
	}
}

func TestDumpHasALineForEachRule(t *testing.T) {
	set, err := build(t, false, `
domain: shop
descriptors:
  - {key: tier, value: gold, rate_limit: {unit: Hour, requests_per_unit: 100}}
  - {key: free, quota_mode: true, rate_limit: {unlimited: true}}
  - {key: level, descriptors: [{key: sub, shadow_mode: true, rate_limit: {unit: week}}]}
`)
	require.NoError(t, err)
	text := &strings.Builder{}
	require.NoError(t, set.Dump(text))
	require.Equal(t, `shop.tier_gold: unit=HOUR requests_per_unit=100, shadow_mode: false, quota_mode: false
shop.free: unit=UNKNOWN requests_per_unit=0, shadow_mode: false, quota_mode: true
shop.level.sub: unit=WEEK requests_per_unit=0, shadow_mode: true, quota_mode: false
`, text.String())
}

func TestMetadataIsKept(t *testing.T) {
	set, err := build(t, false, `
domain: d
descriptors:
  - key: a
    value_to_metric: true
    metadata: {route: big, list: [1, 2.5, {any: thing}], at: 2020-01-01}
    rate_limit: {unit: hour, requests_per_unit: 1}
`)
	require.NoError(t, err)
	m := mustFind(t, set, descriptor("a=1"))
	require.Equal(t, "big", m.Rule.Metadata.AsMap()["route"])
	require.Equal(t, []any{1.0, 2.5, map[string]any{"any": "thing"}}, m.Rule.Metadata.AsMap()["list"])
}

// A file of some megabytes must not fill the memory: neither by its aliases, nor by its levels, nor by
// its names.
func TestHostileFilesAreRefused(t *testing.T) {
	bomb := "a: &a [x,x,x,x,x,x,x,x,x]\n"
	for c := 'b'; c <= 'i'; c++ {
		bomb += fmt.Sprintf("%c: &%c [%s]\n", c, c, strings.TrimSuffix(strings.Repeat("*"+string(c-1)+",", 9), ","))
	}
	levels := "domain: d\ndescriptors: " + strings.Repeat("[{key: k, descriptors: ", 500) + "[]" + strings.Repeat("}]", 500)
	long := "domain: d\ndescriptors: [{key: " + strings.Repeat("k", 5000) + "}]"
	for _, c := range []struct{ text, want string }{
		{bomb, "document contains excessive aliasing"},
		{levels, "have more than 64 levels"},
		{long, "has more than 4096 bytes"},
		{longPaths(40_000), "the full names of all descriptors have more than 134217728 bytes"},
		{strings.Repeat(" ", 16<<20+1), "it has more than 16777216 bytes"},
	} {
		_, err := build(t, false, c.text)
		require.ErrorContains(t, err, c.want)
		require.Less(t, len(err.Error()), 500)
	}
}

// longPaths are rules whose full names have all a long beginning.
func longPaths(rules int) string {
	b := &strings.Builder{}
	b.WriteString("domain: d\ndescriptors:\n- key: " + strings.Repeat("k", 3900) + "\n  descriptors:\n")
	for i := range rules {
		fmt.Fprintf(b, "  - {key: k%d, rate_limit: {unit: day}}\n", i)
	}
	return b.String()
}

// A server of rules may send more levels than anybody needs.
func TestAHostileMessageIsRefused(t *testing.T) {
	d := &xds.RateLimitDescriptor{Key: "k"}
	for range 5000 {
		d = &xds.RateLimitDescriptor{Key: "k", Descriptors: []*xds.RateLimitDescriptor{d}}
	}
	_, err := Build([]File{FromMessage(&xds.RateLimitConfig{Name: "n", Domain: "d", Descriptors: []*xds.RateLimitDescriptor{d}})}, false)
	require.ErrorContains(t, err, "have more than 64 levels")

	wide := make([]*xds.RateLimitDescriptor, maxRules+1)
	for i := range wide {
		wide[i] = &xds.RateLimitDescriptor{Key: fmt.Sprint(i)}
	}
	_, err = Build([]File{FromMessage(&xds.RateLimitConfig{Name: "n", Domain: "d", Descriptors: wide})}, false)
	require.EqualError(t, err, "n: there are more than 500000 descriptors in all files")
}

func TestPatterns(t *testing.T) {
	for _, c := range []struct {
		pattern, text string
		want          bool
	}{
		{"ab*ba", "aba", false}, {"ab*ba", "abba", true}, {"*", "", true}, {"a*b*c", "abc", true},
		{"a*b*c", "acb", false}, {"a*bc*bc", "abc", false}, {"**", "x", true}, {"us*", "user_1", true},
	} {
		require.Equal(t, c.want, matchesPattern(strings.Split(c.pattern, "*"), c.text), "%s %s", c.pattern, c.text)
	}
}
