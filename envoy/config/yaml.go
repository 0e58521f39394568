package config

import (
	"fmt"

	"cellserver/envoy/document"
)

// A File is one file, parsed, with the name that errors repeat.
type File struct {
	Name    string
	Root    *YamlRoot
	HasMore bool // documents after the first one, which are not read
}

// A YamlRoot is the content of a file. The names of these types are a part of the parser's error messages.
type YamlRoot struct {
	Domain      string
	Descriptors []YamlDescriptor
}

// A YamlDescriptor is a rule, or a level of rules, of a file.
type YamlDescriptor struct {
	Key            string
	Value          string
	RateLimit      *YamlRateLimit `yaml:"rate_limit"`
	Descriptors    []YamlDescriptor
	ShadowMode     bool           `yaml:"shadow_mode"`
	QuotaMode      bool           `yaml:"quota_mode"`
	DetailedMetric bool           `yaml:"detailed_metric"`
	ValueToMetric  bool           `yaml:"value_to_metric"`
	ShareThreshold bool           `yaml:"share_threshold"`
	Metadata       map[string]any `yaml:"metadata"`
}

// A YamlRateLimit is the limit of a rule.
type YamlRateLimit struct {
	RequestsPerUnit uint32 `yaml:"requests_per_unit"`
	Unit            string
	Unlimited       bool
	Name            string
	Replaces        []YamlReplaces
}

// A YamlReplaces names rules that do not count beside this one.
type YamlReplaces struct {
	Name string
}

// fault makes the error about a file.
func fault(file, format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{file}, args...)...)
}

// Parse parses a file of rules.
func Parse(name string, content []byte) (File, error) {
	first, hasMore, err := document.Read(content)
	if err != nil {
		return File{}, fault(name, "error loading config file: %v", err)
	}
	var all map[any]any
	if err := first.Decode(&all); err != nil {
		return File{}, fault(name, "error loading config file: %v", err)
	}
	if err := checkKeys(name, all); err != nil {
		return File{}, err
	}
	root := &YamlRoot{}
	if err := first.Decode(root); err != nil {
		return File{}, fault(name, "error loading config file: %v", err)
	}
	return File{Name: name, Root: root, HasMore: hasMore}, nil
}
