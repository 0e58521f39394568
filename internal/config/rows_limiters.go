package config

import "cellserver/internal/config/value"

var limiterDirectives = group("Rate limiting", "",
	field("rules-file", value.Text, "", func(c *Config) *string { return &c.RulesFile },
		"YAML file of the rules for CL.CHECK; a regular file of at most 4 MB. The server reads it again on SIGHUP and when the file changes.").protected(),
)

var metricsDirectives = group("Metrics", "",
	field("metrics-port", value.Int(0, 65535), "0", func(c *Config) *int { return &c.MetricsPort },
		"TCP port of the metrics for Prometheus (HTTP, /metrics); 0 is none."),
	field("metrics-bind", value.Text, "127.0.0.1", func(c *Config) *string { return &c.MetricsBind },
		"Address of the metrics port; empty is every address. There is no password."),
	field("metrics-top-keys", value.Int(0, 1000), "10", func(c *Config) *int { return &c.MetricsTopKeys },
		"Number of keys that metrics and INFO list: those that are limited most often; 0 is none."),
)
