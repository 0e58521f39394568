//go:build theirs

package realtest

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	common "github.com/envoyproxy/go-control-plane/envoy/extensions/common/ratelimit/v3"
	ratelimit "github.com/envoyproxy/go-control-plane/envoy/service/ratelimit/v3"
	typev3 "github.com/envoyproxy/go-control-plane/envoy/type/v3"
	"go.yaml.in/yaml/v3"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

// A world is a domain with random rules. With mode "stop" it has only what is the same in both: in theirs, a
// request that passes in spite of a shadow or a quota counts nothing, and limits leak between descriptors.
type world struct {
	random *rand.Rand
	domain string
	mode   string
	unit   string // of all its rules, or "" for any. Only then there are overrides
	second bool   // some windows are seconds
	tree   []map[string]any
	names  map[string]string // the entries of a counter, by the name that theirs gives it
}

var (
	units = []string{"second", "minute", "hour", "day", "week", "month", "year", "Hour", "DAY"}
	// Keys that begin with q are quotas. The joined names of some keys and values are the same.
	keys   = []string{"user", "path", "ip", "my_key", "my", "q1", "q2", "us*"}
	values = []string{
		"", "x", "gold", "1", "foo", "foobar", "/api/v1", "/api/", "10.0.0.1", "a:b|c", "a b", "é", "true", "key",
		"a.b", "%s", strings.Repeat("long", 20),
	}
	patterns = []string{"foo*", "fo*", "/api/*", "*", "1*"}
)

func newWorld(random *rand.Rand, domain, mode string) *world {
	w := &world{random: random, domain: domain, mode: mode, names: map[string]string{}}
	if random.IntN(2) == 0 {
		w.unit = pick(random, units[1:])
	}
	w.tree = w.level(1)
	return w
}

func pick[T any](random *rand.Rand, all []T) T { return all[random.IntN(len(all))] }

// chance is true in so many of a hundred cases.
func (w *world) chance(percent int) bool { return w.random.IntN(100) < percent }

func (w *world) yaml() string {
	text, err := yaml.Marshal(map[string]any{"domain": w.domain, "descriptors": w.tree})
	if err != nil {
		panic(err)
	}
	return string(text)
}

// level makes the rules of a level.
func (w *world) level(depth int) []map[string]any {
	var all []map[string]any
	var names []string
	for range 1 + w.random.IntN(6-depth) {
		d := map[string]any{"key": pick(w.random, keys)}
		name := d["key"].(string)
		isPattern := strings.HasSuffix(name, "*")
		if !isPattern && w.chance(60) {
			value := pick(w.random, values)
			if w.chance(25) {
				value, isPattern = pick(w.random, patterns), true
			}
			if d["value"] = value; value != "" {
				name += "_" + value
			}
		}
		if slices.Contains(names, name) {
			continue
		}
		names = append(names, name)
		if isPattern && w.mode != "stop" && w.chance(50) {
			d["share_threshold"] = true
		}
		for _, field := range []string{"detailed_metric", "value_to_metric", "shadow_mode", "quota_mode"} {
			switch {
			case field == "quota_mode":
				d[field] = strings.HasPrefix(name, "q") && w.mode != "stop"
			case field == "shadow_mode" && w.mode == "stop":
			case w.chance(10):
				d[field] = true
			}
		}
		if w.chance(80) || depth == 3 {
			d["rate_limit"] = w.limit(name)
		}
		if depth < 3 && w.chance(40) {
			d["descriptors"] = w.level(depth + 1)
		}
		all = append(all, d)
	}
	return all
}

// limit makes the limit of a rule.
func (w *world) limit(of string) map[string]any {
	l := map[string]any{}
	if w.chance(40) {
		l["name"] = fmt.Sprint("n", w.random.IntN(4))
	}
	if w.chance(15) {
		if other := fmt.Sprint("n", w.random.IntN(4)); other != l["name"] {
			l["replaces"] = []map[string]any{{"name": other}}
		}
	}
	if w.chance(10) && !strings.HasPrefix(of, "q") {
		l["unlimited"] = true
		return l
	}
	if l["unit"] = w.unit; w.unit == "" {
		l["unit"] = pick(w.random, units)
	}
	w.second = w.second || l["unit"] == "second"
	switch {
	case w.chance(5):
	case w.chance(10):
		l["requests_per_unit"] = uint32(1<<32 - 1)
	default:
		l["requests_per_unit"] = w.random.IntN(12)
	}
	return l
}

// request makes a request that does not meet the faults of theirs.
func (w *world) request() *ratelimit.RateLimitRequest {
	r := &ratelimit.RateLimitRequest{Domain: w.domain}
	stop := w.mode == "stop"
	if !stop && w.chance(20) {
		r.HitsAddend = pick(w.random, []uint32{1, 2, 3, 7, 1 << 31, 1<<32 - 1})
	}
	switch {
	case w.chance(1):
		r.Domain = ""
	case w.chance(1):
		r.Domain = "unknown"
	case w.chance(1):
		return r
	}
	for range 1 + w.random.IntN(4) {
		d := &common.RateLimitDescriptor{}
		for w.fill(d, w.tree); !w.isOwn(d); w.fill(d, w.tree) {
			d.Entries = nil
		}
		isTwice := slices.ContainsFunc(r.GetDescriptors(), func(o *common.RateLimitDescriptor) bool { return proto.Equal(o, d) })
		if stop && isTwice {
			continue
		}
		if !stop && w.unit != "" && w.chance(10) {
			d.Limit = &common.RateLimitDescriptor_RateLimitOverride{
				RequestsPerUnit: uint32(w.random.IntN(12)), Unit: typev3.RateLimitUnit(typev3.RateLimitUnit_value[strings.ToUpper(w.unit)]),
			}
			if strings.EqualFold(w.unit, "week") {
				d.Limit.Unit = 7
			}
		}
		if !stop && w.chance(20) {
			d.HitsAddend = wrapperspb.UInt64(pick(w.random, []uint64{0, 0, 1, 3, 9, 1<<32 - 1}))
		}
		r.Descriptors = append(r.Descriptors, d)
		if !stop && w.chance(5) {
			r.Descriptors = append(r.Descriptors, d)
		}
	}
	return r
}

// fill appends entries of a random rule, or others.
func (w *world) fill(d *common.RateLimitDescriptor, level []map[string]any) {
	if len(level) == 0 || w.chance(3) {
		return
	}
	rule := pick(w.random, level)
	key, _ := rule["key"].(string)
	value, _ := rule["value"].(string)
	switch {
	case key == "us*":
		key, value = pick(w.random, []string{"user", "us", "usage", "us*"}), pick(w.random, values)
	case w.chance(5):
		key, value = pick(w.random, keys), pick(w.random, values)
	case strings.HasSuffix(value, "*"):
		value = value[:len(value)-1] + pick(w.random, []string{"", "a", "b", "bar"})
	case value == "":
		value = pick(w.random, values)
	}
	d.Entries = append(d.Entries, &common.RateLimitDescriptor_Entry{Key: key, Value: value})
	below, _ := rule["descriptors"].([]map[string]any)
	if w.chance(70) {
		w.fill(d, below)
	}
}

// isOwn reports whether no other descriptor has the name that theirs gives the counter.
func (w *world) isOwn(d *common.RateLimitDescriptor) bool {
	name, entries := "", ""
	for _, e := range d.GetEntries() {
		name += e.GetKey() + "_" + e.GetValue() + "_"
		entries += fmt.Sprintf("%q=%q,", e.GetKey(), e.GetValue())
	}
	if _, known := w.names[name]; !known {
		w.names[name] = entries
	}
	return w.names[name] == entries
}

// isQuota reports whether a descriptor with a limit is a quota.
func (w *world) isQuota(r *ratelimit.RateLimitRequest, i int, mode string) bool {
	if mode == "quota" {
		return true
	}
	entries := r.GetDescriptors()[i].GetEntries()
	return r.GetDescriptors()[i].GetLimit() == nil && len(entries) > 0 &&
		strings.HasPrefix(entries[len(entries)-1].GetKey(), "q")
}
