package extra

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"go.yaml.in/yaml/v3"

	"cellserver/envoy/count"
	"cellserver/envoy/document"
)

// What a rule does while the store is away.
const (
	Allow = "allow" // the request passes
	Deny  = "deny"  // the request is refused
)

// A File is a parsed file.
type File struct {
	Rules   map[string]*Rule // by the full name, as /rlconfig prints it
	Domains map[string]Domain
	Answer  Answer
}

// A Rule is what the file says about a rule.
type Rule struct {
	UnitMultiplier int     `yaml:"unit_multiplier"` // makes 15 minutes of the unit minute
	Algorithm      string  // of the rule's own limit
	Burst          uint64  // of the algorithm gcra
	Limits         []Limit // instead of the rule's own limit
	OnFailure      string  `yaml:"on_failure"` // Allow, Deny or "", which is an error
}

// A Domain is what the file says about a domain.
type Domain struct {
	AllOrNone bool `yaml:"all_or_none"` // a refused request counts nothing
}

// An Answer is what the file adds to answers.
type Answer struct {
	RuleHeader string `yaml:"rule_header"` // names the header that has the name of the rule that refuses
	RetryAfter bool   `yaml:"retry_after"` // adds the header Retry-After to a refusal
	Metadata   bool   // adds the names of the rules that refuse to the dynamic metadata, as refused_by
}

// Parse parses a file. An empty one says nothing.
func Parse(content []byte) (*File, error) {
	f := &File{}
	if _, hasMore, err := document.Read(content); err != nil {
		return nil, err
	} else if hasMore {
		return nil, errors.New("the file has more than one YAML document: join them")
	}
	decoder := yaml.NewDecoder(bytes.NewReader(content))
	decoder.KnownFields(true)
	if err := decoder.Decode(f); err != nil && !errors.Is(err, io.EOF) {
		return nil, err
	}
	for _, name := range slices.Sorted(maps.Keys(f.Rules)) {
		if f.Rules[name] == nil {
			return nil, fmt.Errorf("%s: the rule has nothing: remove it", name)
		}
		if err := f.Rules[name].check(); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return f, nil
}

// check checks a rule.
func (r *Rule) check() error {
	switch {
	case r.UnitMultiplier < 0 || r.UnitMultiplier > 1_000_000:
		return fmt.Errorf("unit_multiplier %d: it must be from 1 to 1000000", r.UnitMultiplier)
	case len(r.Limits) > maxLimits:
		return fmt.Errorf("there are %d limits, and %d are the most", len(r.Limits), maxLimits)
	case len(r.Limits) > 0 && (r.UnitMultiplier != 0 || r.Algorithm != "" || r.Burst != 0):
		return errors.New("limits replace the limit of the rule: put algorithm and burst into them, " +
			"and leave out unit_multiplier")
	case r.OnFailure != "" && r.OnFailure != Allow && r.OnFailure != Deny:
		return fmt.Errorf("on_failure '%s': it must be %s or %s", r.OnFailure, Allow, Deny)
	}
	if err := checkAlgorithm(r.Algorithm, r.Burst); err != nil {
		return err
	}
	windows := map[Limit]bool{}
	for _, l := range r.Limits {
		if err := l.check(); err != nil {
			return err
		}
		l.Limit, l.Burst = 0, 0
		if l.Algorithm == "" {
			l.Algorithm = count.FixedWindow
		}
		if windows[l] {
			return errors.New("two limits have the same window and algorithm: keep the smaller one")
		}
		windows[l] = true
	}
	return nil
}
