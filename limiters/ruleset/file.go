package ruleset

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"go.yaml.in/yaml/v3"
)

// The rules-file has the limits of CL.RULE SET in YAML:
//
//	rules:
//	  login:
//	    limits:
//	      - CL.THROTTLE 4 5 60
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
// one line that names the wrong line; the old rules then stay in force. An empty text has no rules.
func (r *Rules) UseFile(name string, text []byte) error {
	s, err := parseFile(text)
	if err != nil {
		return fmt.Errorf("%s%w", name, err)
	}
	r.adopt(s, &r.file, &r.parsed)
	return nil
}

// fileError is an error in one line of a rules-file.
func fileError(line int, format string, args ...any) error {
	return fmt.Errorf(":%d: %s", line, fmt.Sprintf(format, args...))
}

var yamlLine = regexp.MustCompile(`^yaml: line (\d+): `)

func parseFile(text []byte) (*set, error) {
	s := &set{byName: map[string]*Rule{}}
	in := yaml.NewDecoder(bytes.NewReader(text))
	var document yaml.Node
	switch err := in.Decode(&document); {
	case errors.Is(err, io.EOF):
		return s, nil
	case err != nil:
		line := strings.ReplaceAll(err.Error(), "\n", " ")
		return nil, errors.New(":" + yamlLine.ReplaceAllString(line, "$1: "))
	}
	if in.Decode(new(yaml.Node)) != io.EOF {
		return nil, fileError(document.Line, "the file must be one document")
	}
	return s, fields(document.Content[0], "the file", map[string]func(*yaml.Node) error{
		"rules": func(n *yaml.Node) error { return s.readRules(n) },
	})
}

func (s *set) readRules(n *yaml.Node) error {
	return pairs(n, "rules", func(key, value *yaml.Node) error {
		if len(s.byName) == MaxRules {
			return fileError(key.Line, "%s", plain(ErrMaxRules))
		}
		one, err := readRule(key, value)
		if err == nil {
			one.file = true
		}
		s.byName[key.Value] = one
		return err
	})
}

func readRule(key, n *yaml.Node) (*Rule, error) {
	if err := faultOf([]byte(key.Value)); err != nil {
		return nil, fileError(key.Line, "rule %q: %s", key.Value, plain(err))
	}
	r, overrides := &Rule{Name: key.Value, Reserved: reservedName(key.Value)}, (*yaml.Node)(nil)
	err := fields(n, "rule "+key.Value, map[string]func(*yaml.Node) error{
		"limits": func(n *yaml.Node) error { return r.readLimits("", n) },
		"scopes": r.readScopes,
		"overrides": func(n *yaml.Node) error {
			overrides = n
			return nil
		},
		"shadow": func(n *yaml.Node) error {
			if n.Decode(&r.Shadow) != nil {
				return fileError(n.Line, "rule %s: shadow must be true or false", r.Name)
			}
			return nil
		},
	})
	switch {
	case err != nil:
		return nil, err
	case r.limits() == 0:
		return nil, fileError(key.Line, "rule %s has no limits", r.Name)
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
		if err := r.readLimits(key.Value, value); err != nil || r.scope(key.Value) != nil {
			return err
		}
		return fileError(key.Line, "rule %s: scope %q has no limits", r.Name, key.Value)
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
			return fileError(one.Line, "rule %s: a limit must be a text such as CL.THROTTLE 15 30 60", r.Name)
		}
		words := bytes.Fields([]byte(one.Value))
		err := r.add(scope, words)
		if err == nil {
			err = faultOfLimits(r.scope(scope).Limits)
		}
		if err != nil {
			return fileError(one.Line, "rule %s: limit %q: %s", r.Name, one.Value, plain(err))
		}
		if r.text != "" {
			r.text += " AND "
		}
		if scope != "" {
			r.text += "SCOPE " + scope + " "
		}
		r.text += string(bytes.Join(words, []byte(" ")))
	}
	return nil
}

// plain returns the text of an error without its leading code.
func plain(err error) string { return strings.TrimPrefix(err.Error(), "ERR ") }

// fields calls the reader of each field of a mapping. It refuses unknown fields.
func fields(n *yaml.Node, what string, read map[string]func(*yaml.Node) error) error {
	return pairs(n, what, func(key, value *yaml.Node) error {
		if read[key.Value] == nil {
			return fileError(key.Line, "%s: unknown field %q", what, key.Value)
		}
		return read[key.Value](value)
	})
}

// pairs calls do for each key and value of a mapping. It refuses keys that repeat. An empty node is
// an empty mapping.
func pairs(n *yaml.Node, what string, do func(key, value *yaml.Node) error) error {
	switch {
	case n.Kind == yaml.ScalarNode && n.Tag == "!!null":
		return nil
	case n.Kind != yaml.MappingNode:
		return fileError(n.Line, "%s must be a mapping of names", what)
	}
	seen := map[string]bool{}
	for i := 0; i < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode || seen[key.Value] {
			return fileError(key.Line, "%s: %q is not a name, or repeats", what, key.Value)
		}
		seen[key.Value] = true
		if err := do(key, n.Content[i+1]); err != nil {
			return err
		}
	}
	return nil
}
