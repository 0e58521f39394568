package config

import "cellserver/internal/config/value"

var limiterDirectives = group("Rate limiting", "",
	field("rules-file", value.Text, "", func(c *Config) *string { return &c.RulesFile },
		"YAML file of the rules that CL.CHECK asks; read again on SIGHUP and when it changes.").protected(),
)

var metricsDirectives = group("Metrics", "",
	field("metrics-port", value.Int(0, 65535), "0", func(c *Config) *int { return &c.MetricsPort },
		"TCP port that answers Prometheus, at /metrics over HTTP; 0 is none."),
	field("metrics-bind", value.Text, "127.0.0.1", func(c *Config) *string { return &c.MetricsBind },
		"Address of that port; empty is every address. There is no password."),
	field("metrics-top-keys", value.Int(0, 1000), "10", func(c *Config) *int { return &c.MetricsTopKeys },
		"How many of the keys limited most often metrics and INFO name; 0 is none."),
)
