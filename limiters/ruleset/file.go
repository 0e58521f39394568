package ruleset

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"

	"cellserver/internal/word"

	"go.yaml.in/yaml/v3"
)

// The rules-file has the limits of CL.RULE SET in YAML:
//
//	rules:
//	  login:
//	    limits:
//	      - 5/minute
//	      - CL.WINDOW 100 86400 ALIGN
//	  search:
//	    limits: CL.SLIDING 1000 60
//	    shadow: true
//	  llm:
//	    scopes:
//	      org: CL.WINDOW 50000000 2592000
//	      user:
//	        - CL.WINDOW 2000000 86400 ALIGN
//	        - CL.THROTTLE 9999 20000 60
//	    overrides:
//	      org:
//	        acme: CL.WINDOW 90000000 2592000
//
// In a rule without scopes the keys are right below overrides. The limits of a key may also be in a field
// limits.

// UseFile replaces the rules of the rules-file. name is the name of the file in errors. An error is
// one line that names the wrong line; the old rules then stay in force. The text nil stands for no
// file. Any other text without rules is an error, unless it says `rules: {}`.
func (r *Rules) UseFile(name string, text []byte) error {
	s := &set{byName: map[string]*Rule{}}
	if text != nil {
		var err error
		if s, err = parseFile(text); err != nil {
			return fmt.Errorf("%s%w", name, err)
		}
	}
	news := r.replaceFile(name, s)
	if r.told != nil {
		r.told(news)
	}
	return nil
}

// replaceFile makes a set the rules of the file, and says what has changed.
func (r *Rules) replaceFile(name string, s *set) News {
	r.mu.Lock()
	defer r.mu.Unlock()
	last := r.last()
	for _, one := range s.byName {
		last.shareCounts(one)
	}
	news := newsOf(name, last.file, s, last.stored)
	s, unsaved := countFile(s, cmp.Or(last.file, &set{}), last.stored, r.now())
	r.unsaved.Store(unsaved)
	r.changed.Store(r.now())
	r.file.Store(s)
	return news
}

// noRules is the remedy for a file without rules. Somebody may empty a file by accident.
const noRules = "write `rules: {}` if there are to be none"

func parseFile(text []byte) (*set, error) {
	root, err := parseYAML(text)
	switch {
	case err != nil:
		return nil, err
	case isNothing(root) || root.Kind == yaml.MappingNode && len(root.Content) == 0:
		return nil, fileError(1, "the file has no rules: %s", noRules)
	case root.Kind != yaml.MappingNode:
		return nil, fileError(root.Line, "the file must begin with `rules:`, and not with %s", kindOf(root))
	}
	for i := 0; i < len(root.Content); i += 2 {
		if key := root.Content[i]; key.Value == "domain" || key.Value == "descriptors" {
			return nil, fileError(key.Line, "`%s:` begins a file of envoyproxy/ratelimit, "+
				"and this file has rules: give that file to cellserver-envoy, or write each descriptor as a "+
				"rule, such as `rules: {login: {limits: %s}}`; docs/migrating.md has the steps",
				key.Value, exampleLimit)
		}
	}
	s := &set{byName: map[string]*Rule{}}
	return s, fields(root, "the file", map[string]func(*yaml.Node) error{
		"rules": s.readRules,
	})
}

func (s *set) readRules(n *yaml.Node) error {
	if isNothing(n) {
		return fileError(n.Line, "there is nothing below rules: %s", noRules)
	}
	return pairs(n, "rules", func(key, value *yaml.Node) error {
		if len(s.byName) == MaxRules {
			return fileError(key.Line, "rule %q: %s", key.Value, plain(ErrMaxRules))
		}
		one, err := readRule(key, value)
		if err == nil {
			one.file = true
			s.put(one)
		}
		return err
	})
}

func readRule(key, n *yaml.Node) (*Rule, error) {
	if err := faultOf([]byte(key.Value)); err != nil {
		return nil, fileError(key.Line, "rule %q: %s", key.Value, plain(err))
	}
	if n.Kind == yaml.ScalarNode && !isNothing(n) || n.Kind == yaml.SequenceNode {
		return nil, fileError(n.Line, "rule %s: %s must be in a field: write `limits:` before it",
			key.Value, kindOf(n))
	}
	r, overrides := &Rule{Name: key.Value}, (*yaml.Node)(nil)
	err := fields(n, "rule "+key.Value, map[string]func(*yaml.Node) error{
		"limits": func(n *yaml.Node) error { return r.readLimits("", n) },
		"scopes": r.readScopes,
		"overrides": func(n *yaml.Node) error {
			overrides = n
			return nil
		},
		"shadow": func(n *yaml.Node) error {
			if n.Kind != yaml.ScalarNode || n.Decode(&r.Shadow) != nil {
				return fileError(n.Line, "rule %s: shadow must be true or false, and not %s",
					r.Name, kindOf(n))
			}
			return nil
		},
	})
	switch {
	case err != nil:
		return nil, err
	case r.limits() == 0:
		return nil, fileError(key.Line, "rule %s has no limits: write %s below it", r.Name, exampleLimits)
	case r.Shadow:
		r.text += " SHADOW"
	}
	if len(r.text) > MaxRuleBytes {
		return nil, fileError(key.Line, "rule %s: %s", r.Name, plain(ErrRuleBytes))
	}
	if overrides != nil {
		err = r.readOverrides(overrides)
	}
	return r, err
}

// readScopes parses the limits of each scope. The scopes keep the order of the file.
func (r *Rule) readScopes(n *yaml.Node) error {
	return pairs(n, "scopes of rule "+r.Name, func(key, value *yaml.Node) error {
		if !isName(key.Value) {
			return fileError(key.Line, "rule %s: scope %q: %s", r.Name, key.Value, plain(ErrScope))
		}
		if word.Is([]byte(key.Value), "and") {
			return fileError(key.Line, "rule %s: scope %q: AND joins limits: write another name",
				r.Name, key.Value)
		}
		if err := r.readLimits(key.Value, value); err != nil || r.scope(key.Value) != nil {
			return err
		}
		return fileError(key.Line, "rule %s: scope %q has no limits: write one, such as %s",
			r.Name, key.Value, exampleLimit)
	})
}

// readLimits parses one limit, or a list of limits.
func (r *Rule) readLimits(scope string, n *yaml.Node) error {
	list := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		list = n.Content
	}
	for _, one := range list {
		if one.Kind != yaml.ScalarNode {
			return fileError(one.Line, "rule %s: a limit must be a text such as %s, and not %s",
				r.Name, exampleLimit, kindOf(one))
		}
		words := bytes.Fields([]byte(one.Value))
		if err := notInFile(words); err != nil {
			return fileError(one.Line, "rule %s: limit %q: %w", r.Name, one.Value, err)
		}
		if scope != "" {
			words = append([][]byte{[]byte("SCOPE"), []byte(scope)}, words...)
		}
		words, err := commandOf(words, "")
		if err == nil {
			err = r.addScoped(words)
		}
		if err == nil {
			err = r.fault()
		}
		if err != nil {
			return fileError(one.Line, "rule %s: limit %q: %s", r.Name, one.Value, plain(err))
		}
		if r.text != "" {
			r.text += " AND "
		}
		r.text += string(bytes.Join(words, space))
	}
	return nil
}

// readOverrides parses the limits of single keys. They are grouped by scope. If the rule has no scopes, they
// are not grouped, or they are in the scope "-".
func (r *Rule) readOverrides(n *yaml.Node) error {
	return pairs(n, "overrides of rule "+r.Name, func(name, value *yaml.Node) error {
		if r.scope("") != nil && (name.Value != noScope || value.Kind != yaml.MappingNode) {
			return r.readOverride(noScope, name, value)
		}
		return pairs(value, "overrides of scope "+name.Value, func(key, value *yaml.Node) error {
			return r.readOverride(name.Value, key, value)
		})
	})
}

// readOverride parses the limits of one key: a limit, a list of limits, or either of them in the field
// limits.
func (r *Rule) readOverride(scope string, key, value *yaml.Node) error {
	if value.Kind == yaml.MappingNode {
		var limits *yaml.Node
		if err := fields(value, "rule "+r.Name+": override of "+key.Value, map[string]func(*yaml.Node) error{
			"limits": func(n *yaml.Node) error {
				limits = n
				return nil
			},
		}); err != nil {
			return err
		}
		if limits != nil {
			value = limits
		}
	}
	list := []*yaml.Node{value}
	if value.Kind == yaml.SequenceNode {
		list = value.Content
	}
	var texts []string
	for _, one := range list {
		texts = append(texts, one.Value)
	}
	words := bytes.Fields([]byte(strings.Join(texts, " AND ")))
	if len(words) == 0 {
		return fileError(key.Line, "rule %s: the override of %q has no limits: write one, such as %s",
			r.Name, key.Value, exampleLimit)
	}
	s, o, err := r.newOverride(scope, key.Value, words)
	if err != nil {
		return fileError(key.Line, "rule %s: override of %q: %s", r.Name, key.Value, plain(err))
	}
	s.overrides = s.overrides.put(key.Value, o)
	s.countMost()
	return nil
}
