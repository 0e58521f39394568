package config

import (
	"strings"

	"cellserver/envoy/extra"
)

// Bounds on the rules of a set. They keep a hostile file from filling the memory.
const (
	maxLevels  = 64
	maxFullKey = 4096
	maxRules   = 500_000   // with descriptors that have no limit
	maxNames   = 128 << 20 // the bytes of all full names, which have those of all levels
)

// A Set is the rules of all files.
type Set struct {
	Rules   []*Rule     // in the order of the files
	Extra   *extra.File // what the files can not say, or nil
	domains map[string]*node
	size    int
	named   int // the bytes of the full names
}

// A node is a level of the tree: a domain, or a descriptor of a file.
type node struct {
	key, value string
	rule       *Rule            // or nil
	children   map[string]*node // by key, or key_value
	order      []*node          // the children in the order of the file
	wildcards  []wildcard       // the children with an asterisk, in the order of the file
	shared     bool             // counts under its own name, not under the value of the request
	toMetric   bool             // its value is a part of the metric, with a rule or without
	isWildcard bool             // its name has an asterisk
}

// A wildcard is a child whose name has an asterisk.
type wildcard struct {
	pattern []string // the parts between the asterisks
	child   *node
}

// name is the name of a node in its level.
func (n *node) name() string {
	if n.value == "" {
		return n.key
	}
	return n.key + "_" + n.value
}

// Build makes the rules of all files. With merge, several files may have the same domain.
func Build(files []File, merge bool) (*Set, error) {
	s := &Set{domains: map[string]*node{}}
	for _, f := range files {
		domain := f.Root.Domain
		if domain == "" {
			return nil, fault(f.Name, "config file cannot have empty domain")
		}
		top := s.domains[domain]
		if top != nil && !merge {
			return nil, fault(f.Name, "duplicate domain '%s' in config file", domain)
		}
		if top == nil {
			top = &node{key: domain}
			s.domains[domain] = top
		}
		if err := s.addLevel(f.Name, top, domain, f.Root.Descriptors, 1); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// HasDomains reports whether there is a domain.
func (s *Set) HasDomains() bool { return len(s.domains) > 0 }

// HasDomain reports whether there are rules for a domain.
func (s *Set) HasDomain(domain string) bool { return s.domains[domain] != nil }

// addLevel adds the descriptors of one level below a parent.
func (s *Set) addLevel(file string, parent *node, path string, all []YamlDescriptor, level int) error {
	if level > maxLevels && len(all) > 0 {
		return fault(file, "descriptors of '%.100s' have more than %d levels", path, maxLevels)
	}
	for i := range all {
		if s.size++; s.size > maxRules {
			return fault(file, "there are more than %d descriptors in all files", maxRules)
		}
		if err := s.addDescriptor(file, parent, path, &all[i], level); err != nil {
			return err
		}
	}
	return nil
}

// addDescriptor adds one descriptor, and all below it.
func (s *Set) addDescriptor(file string, parent *node, path string, d *YamlDescriptor, level int) error {
	if d.Key == "" {
		return fault(file, "descriptor has empty key")
	}
	n := &node{key: d.Key, value: d.Value, shared: d.ShareThreshold, toMetric: d.ValueToMetric}
	name := n.name()
	fullKey := path + "." + name
	if len(fullKey) > maxFullKey {
		return fault(file, "the name of descriptor '%.100s…' has more than %d bytes", fullKey, maxFullKey)
	}
	if s.named += len(fullKey); s.named > maxNames {
		return fault(file, "the full names of all descriptors have more than %d bytes", maxNames)
	}
	if parent.children[name] != nil {
		return fault(file, "duplicate descriptor composite key '%s'", fullKey)
	}
	n.isWildcard = strings.Contains(name, "*")
	if d.ShareThreshold && !n.isWildcard {
		return fault(file, "share_threshold can only be used with wildcard values (containing '*'), "+
			"but found key '%s'", name)
	}
	if d.RateLimit != nil {
		rule, err := buildRule(file, fullKey, d)
		if err != nil {
			return err
		}
		rule.Index = len(s.Rules)
		s.Rules = append(s.Rules, rule)
		n.rule = rule
	}
	if parent.children == nil {
		parent.children = map[string]*node{}
	}
	parent.children[name] = n
	parent.order = append(parent.order, n)
	if n.isWildcard {
		parent.wildcards = append(parent.wildcards, wildcard{strings.Split(name, "*"), n})
	}
	return s.addLevel(file, n, fullKey, d.Descriptors, level+1)
}
