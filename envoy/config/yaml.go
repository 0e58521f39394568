package config

import (
	"fmt"

	"go.yaml.in/yaml/v3"
)

// A File is one file, parsed, with the name that errors repeat.
type File struct {
	Name string
	Root *YamlRoot
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

// maxFileBytes bounds one file. The parser bounds what aliases add, and how deep a file is.
const maxFileBytes = 16 << 20

// fault makes the error about a file.
func fault(file, format string, args ...any) error {
	return fmt.Errorf("%s: "+format, append([]any{file}, args...)...)
}

// Parse parses a file of rules.
func Parse(name string, content []byte) (File, error) {
	if len(content) > maxFileBytes {
		return File{}, fault(name, "error loading config file: it has %d bytes, and %d are the most",
			len(content), maxFileBytes)
	}
	var all map[any]any
	if err := yaml.Unmarshal(content, &all); err != nil {
		return File{}, fault(name, "error loading config file: %v", err)
	}
	if err := checkKeys(name, all); err != nil {
		return File{}, err
	}
	root := &YamlRoot{}
	if err := yaml.Unmarshal(content, root); err != nil {
		return File{}, fault(name, "error loading config file: %v", err)
	}
	return File{Name: name, Root: root}, nil
}
