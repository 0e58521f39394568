package service

import (
	"context"
	"sync/atomic"

	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"cellserver/envoy/config"
	"cellserver/envoy/count"
	"cellserver/envoy/extra"
	"cellserver/envoy/stats"
)

// Options are the switches of the service.
type Options struct {
	Shadow          bool        // refuse nobody, and say so in the statuses only
	Quota           bool        // every rule is a quota
	AllOrNone       bool        // a refused request counts nothing
	CalendarMonths  bool        // a month is that of the calendar, in UTC
	DynamicMetadata bool        // tell the request and the rules' metadata in the answer
	NearLimit       stats.Ratio // of a limit, for metrics
	Headers         *Headers    // or nil
}

// A Service answers requests. It may be called by several goroutines.
type Service struct {
	ratelimit.UnimplementedRateLimitServiceServer

	counter  count.Counter
	registry *stats.Registry
	options  Options
	rules    atomic.Pointer[rules] // nil before the first good load

	storeErrors, serviceErrors, shadowed *stats.Counter
}

// rules are a set of rules with their metrics.
type rules struct {
	set   *config.Set
	stats []*stats.Rule
}

// New makes a service without rules.
func New(counter count.Counter, registry *stats.Registry, options Options) *Service {
	return &Service{
		counter: counter, registry: registry, options: options,
		storeErrors:   registry.Counter("ratelimit.service.call.should_rate_limit.redis_error"),
		serviceErrors: registry.Counter("ratelimit.service.call.should_rate_limit.service_error"),
		shadowed:      registry.Counter("ratelimit.service.global_shadow_mode"),
	}
}

// Use makes the service use a set of rules.
func (s *Service) Use(set *config.Set) {
	keys := make([]string, len(set.Rules))
	for i, rule := range set.Rules {
		keys[i] = rule.FullKey
	}
	s.rules.Store(&rules{set: set, stats: s.registry.Load(keys)})
}

// Rules returns the set of rules in use, or nil.
func (s *Service) Rules() *config.Set {
	if r := s.rules.Load(); r != nil {
		return r.set
	}
	return nil
}

// ShouldRateLimit answers a request.
func (s *Service) ShouldRateLimit(
	ctx context.Context, request *ratelimit.RateLimitRequest,
) (*ratelimit.RateLimitResponse, error) {
	c := &call{service: s, request: request}
	if err := c.match(); err != nil {
		s.serviceErrors.Add(1)
		return nil, err
	}
	if err := c.count(ctx); err != nil {
		s.storeErrors.Add(1)
		return c.answerWithout(err)
	}
	return c.answer(), nil
}

// A call is one request on its way.
type call struct {
	service     *Service
	request     *ratelimit.RateLimitRequest
	extra       *extra.File // or nil
	descriptors []descriptor
	hits        []count.Hit
	results     []count.Result
}

// A descriptor is a descriptor of a request, with its rule.
type descriptor struct {
	config.Match
	stats    *stats.Rule
	hits     uint64
	giveBack bool
	replaced bool // by another rule of the request
	first    int  // the place of its first hit
	limits   int  // the number of its hits
	tight    int  // the place of the hit that leaves the least, among all hits of the request
}

// match finds the rules of a request.
func (c *call) match() error {
	r := c.service.rules.Load()
	switch n := len(c.request.GetDescriptors()); {
	case c.request.GetDomain() == "":
		return errNoDomain
	case n == 0:
		return errNoDescriptors
	case n > maxDescriptors:
		return errTooMany(n)
	case r == nil:
		return errNoRules
	}
	c.extra = r.set.Extra
	if !r.set.HasDomain(c.request.GetDomain()) {
		c.service.registry.DomainNotFound(c.request.GetDomain(), len(c.request.GetDescriptors()))
	}
	c.descriptors = make([]descriptor, len(c.request.GetDescriptors()))
	var replaces map[string]bool
	for i, asked := range c.request.GetDescriptors() {
		d := &c.descriptors[i]
		m, err := r.set.Find(c.request.GetDomain(), asked)
		if err != nil {
			return status.Error(codes.InvalidArgument, err.Error())
		}
		d.Match = m
		d.hits, d.giveBack = hitsOf(c.request, asked), asked.GetIsNegativeHits()
		if m.Rule == nil {
			continue
		}
		d.stats = c.statsOf(r, m)
		for _, name := range m.Rule.Replaces {
			if replaces == nil {
				replaces = map[string]bool{}
			}
			replaces[name] = true
		}
	}
	c.makeHits(replaces)
	return nil
}

// statsOf returns the counters of a match. An unlimited rule has no metrics.
func (c *call) statsOf(r *rules, m config.Match) *stats.Rule {
	var own *stats.Rule
	if m.Rule.Index >= 0 {
		own = r.stats[m.Rule.Index]
	}
	if m.Metric == "" || m.Rule.Unlimited {
		return own
	}
	return c.service.registry.Dynamic(m.Metric, own, c.request.GetDomain())
}

// count counts the hits in the store.
func (c *call) count(ctx context.Context) error {
	if len(c.hits) == 0 {
		return nil
	}
	var err error
	domain := c.request.GetDomain()
	c.results, err = c.service.counter.Count(ctx, count.Request{
		Domain: domain, Hits: c.hits,
		AllOrNone: c.service.options.AllOrNone || c.extra != nil && c.extra.Domains[domain].AllOrNone,
	})
	return err
}
