package ruleset

import (
	"bytes"
	"strings"

	"go.yaml.in/yaml/v3"
)

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
