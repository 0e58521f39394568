package stats

import (
	"maps"
	"sync"
)

// Bounds on the names that clients make.
const (
	maxDynamic = 10_000
	maxUnknown = 1_000
)

const rulePrefix = "ratelimit.service.rate_limit."

// A Registry holds all counters of a process.
type Registry struct {
	mu      sync.RWMutex        // guards the fields below, up to gauges; nothing else is taken inside
	rules   map[string]*Rule    // of the rules of the present set, by key
	dynamic map[string]*Rule    // with values of requests, by key
	gone    []removed           // since the last flush, at most maxDynamic
	unknown map[string]*Counter // domains without rules, by name
	fixed   map[string]*Counter // by full name
	gauges  map[string]func() uint64

	// Requests measures the requests over gRPC.
	Requests Timer
}

// A removed is the counters of a key that a load has removed.
type removed struct {
	key  string
	rule *Rule
}

// NewRegistry makes a registry.
func NewRegistry() *Registry {
	return &Registry{
		dynamic: map[string]*Rule{}, unknown: map[string]*Counter{}, fixed: map[string]*Counter{},
		gauges: map[string]func() uint64{},
	}
}

// Load returns the counters of the rules of a new set, in the order of their keys. A key that was there
// before keeps its counts. Other keys go, and so do keys with values of requests that had no hits since the
// last load.
func (r *Registry) Load(keys []string) []*Rule {
	r.mu.Lock()
	defer r.mu.Unlock()
	rules := make(map[string]*Rule, len(keys))
	loaded := make([]*Rule, len(keys))
	for i, key := range keys {
		key = clean(key)
		if rules[key] == nil {
			rules[key] = r.rules[key]
		}
		if rules[key] == nil {
			rules[key] = &Rule{}
		}
		loaded[i] = rules[key]
	}
	for key, rule := range r.rules {
		if rules[key] == nil {
			r.remove(key, rule)
		}
	}
	r.rules = rules
	for key, rule := range r.dynamic {
		if total := rule.TotalHits.Value(); total == rule.kept {
			delete(r.dynamic, key)
			r.remove(key, rule)
		} else {
			rule.kept = total
		}
	}
	return loaded
}

// remove keeps the counters of a key that goes for the next flush, if it had hits. Without a sink there is no flush.
func (r *Registry) remove(key string, rule *Rule) {
	if rule.TotalHits.Value() > 0 && len(r.gone) < maxDynamic {
		r.gone = append(r.gone, removed{key, rule})
	}
}

// takeRemoved returns the counters of the keys that went since the last call.
func (r *Registry) takeRemoved() []removed {
	r.mu.Lock()
	defer r.mu.Unlock()
	gone := r.gone
	r.gone = nil
	return gone
}

// Dynamic returns the counters of a key that has values of a request. If there are too many keys it returns
// the fallback, or without one those of the key "other" of the domain.
func (r *Registry) Dynamic(key string, fallback *Rule, domain string) *Rule {
	key = clean(key)
	r.mu.RLock()
	rule := r.dynamic[key]
	r.mu.RUnlock()
	if rule != nil {
		return rule
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.dynamic) >= maxDynamic && r.dynamic[key] == nil {
		if fallback != nil {
			return fallback
		}
		key = clean(domain) + ".other" // a key for each domain, and domains are those of the files
	}
	if r.dynamic[key] == nil {
		r.dynamic[key] = &Rule{}
	}
	return r.dynamic[key]
}

// DomainNotFound counts the descriptors of a request for a domain without rules.
func (r *Registry) DomainNotFound(domain string, descriptors int) {
	name := clean(domain)
	r.mu.RLock()
	c := r.unknown[name]
	r.mu.RUnlock()
	if c == nil {
		c = r.addUnknown(name)
	}
	c.Add(uint64(descriptors))
}

// addUnknown adds the counter of a domain, or of "other".
func (r *Registry) addUnknown(name string) *Counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(r.unknown) >= maxUnknown {
		name = "other"
	}
	if r.unknown[name] == nil {
		r.unknown[name] = &Counter{}
	}
	return r.unknown[name]
}

// Counter returns the counter with a full name.
func (r *Registry) Counter(name string) *Counter {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fixed[name] == nil {
		r.fixed[name] = &Counter{}
	}
	return r.fixed[name]
}

// Gauge adds a value that is read when somebody asks for it.
func (r *Registry) Gauge(name string, read func() uint64) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.gauges[name] = read
}

// each calls a function for each counter, with its full name. It has no lock then, as a request may wait for it.
func (r *Registry) each(f func(name string, c *Counter)) {
	r.mu.RLock()
	groups := []map[string]*Rule{r.rules, maps.Clone(r.dynamic)} // Load makes new rules, and changes none
	unknown, fixed := maps.Clone(r.unknown), maps.Clone(r.fixed)
	r.mu.RUnlock()
	for _, group := range groups {
		for key, rule := range group {
			rule.each(key, f)
		}
	}
	for domain, c := range unknown {
		f(rulePrefix+domain+".domain_not_found", c)
	}
	for name, c := range fixed {
		f(name, c)
	}
}

// eachGauge calls a function for each gauge, without the lock.
func (r *Registry) eachGauge(f func(name string, value uint64)) {
	r.mu.RLock()
	gauges := maps.Clone(r.gauges)
	r.mu.RUnlock()
	for name, read := range gauges {
		f(name, read())
	}
}
