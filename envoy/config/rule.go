package config

import (
	"encoding/json"
	"strings"
	"time"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/protobuf/types/known/structpb"

	"cellserver/envoy/count"
)

// A Unit is the unit of a limit, as the protocol numbers it.
type Unit = ratelimit.RateLimitResponse_RateLimit_Unit

// A Rule is the limit of one place in the tree of rules.
type Rule struct {
	FullKey   string                                 // such as "shop.tier_gold.path"
	Index     int                                    // the place in Set.Rules, or -1 for an override
	Limit     *ratelimit.RateLimitResponse_RateLimit // as the files have it: never changed
	Limits    []Limit                                // what counts, none if unlimited
	OnFailure string                                 // what the rule does while the store is away
	Replaces  []string                               // names of other rules
	Unlimited bool
	Modes     Modes
	Metadata  *structpb.Struct // or nil
}

// A Limit is one limit of a rule.
type Limit struct {
	Hit    count.Hit                              // without its key and its hits
	Answer *ratelimit.RateLimitResponse_RateLimit // as an answer has it: never changed
}

// Modes are the switches of a rule.
type Modes struct {
	Shadow         bool // never refuses
	Quota          bool // refuses only if all rules with Quota refuse
	DetailedMetric bool // metrics have the values of all levels
}

const day = 24 * time.Hour

// periods are the lengths of the units. A month has 30 days, and a year 365.
var periods = map[Unit]time.Duration{
	ratelimit.RateLimitResponse_RateLimit_SECOND: time.Second,
	ratelimit.RateLimitResponse_RateLimit_MINUTE: time.Minute,
	ratelimit.RateLimitResponse_RateLimit_HOUR:   time.Hour,
	ratelimit.RateLimitResponse_RateLimit_DAY:    day,
	ratelimit.RateLimitResponse_RateLimit_WEEK:   7 * day,
	ratelimit.RateLimitResponse_RateLimit_MONTH:  30 * day,
	ratelimit.RateLimitResponse_RateLimit_YEAR:   365 * day,
}

// buildRule checks the rate limit of a descriptor, and makes its rule.
func buildRule(file, fullKey string, d *YamlDescriptor) (*Rule, error) {
	r := d.RateLimit
	unit := Unit(ratelimit.RateLimitResponse_RateLimit_Unit_value[strings.ToUpper(r.Unit)])
	period, valid := periods[unit]
	switch {
	case r.Unlimited && valid:
		return nil, fault(file, "should not specify rate limit unit when unlimited")
	case !r.Unlimited && !valid:
		return nil, fault(file, "invalid rate limit unit '%s'", r.Unit)
	}
	replaces := make([]string, len(r.Replaces))
	for i, other := range r.Replaces {
		if other.Name == "" {
			return nil, fault(file, "should not have an empty replaces entry")
		}
		if other.Name == r.Name {
			return nil, fault(file, "replaces should not contain name of same descriptor")
		}
		replaces[i] = other.Name
	}
	limit := &ratelimit.RateLimitResponse_RateLimit{
		RequestsPerUnit: r.RequestsPerUnit, Unit: unit, Name: r.Name,
	}
	metadata, err := buildMetadata(d.Metadata)
	if err != nil {
		return nil, fault(file, "error parsing metadata: %v", err)
	}
	rule := &Rule{
		FullKey: fullKey, Replaces: replaces, Unlimited: r.Unlimited, Metadata: metadata, Limit: limit,
		Modes: Modes{Shadow: d.ShadowMode, Quota: d.QuotaMode, DetailedMetric: d.DetailedMetric},
	}
	if !r.Unlimited {
		rule.Limits = []Limit{limitOf(limit, period)}
	}
	return rule, nil
}

// limitOf makes the limit of a fixed window.
func limitOf(limit *ratelimit.RateLimitResponse_RateLimit, period time.Duration) Limit {
	return Limit{count.Hit{Limit: uint64(limit.GetRequestsPerUnit()), Period: period}, limit}
}

// buildMetadata turns the metadata of a rule into what an answer has.
func buildMetadata(metadata map[string]any) (*structpb.Struct, error) {
	if len(metadata) == 0 {
		return nil, nil
	}
	text, err := json.Marshal(metadata)
	if err != nil {
		return nil, err
	}
	s := &structpb.Struct{}
	if err := s.UnmarshalJSON(text); err != nil {
		return nil, err
	}
	return s, nil
}
