package config

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"cellserver/internal/config/value"
)

var limiterDirectives = group("Rate limiting",
	field("rules-file", value.Text, "", &fields.RulesFile).protected().ofKeys(),
	field("rules-url", value.Text, "", &fields.RulesURL).protected().sensitive().ofKeys(),
	field("clock-step-limit", value.Int(0, maxInt), "10", &fields.ClockStepLimit),
)

var metricsDirectives = group("Metrics",
	field("metrics-port", value.Int(0, 65535), "0", &fields.Metrics.Port),
	field("metrics-tls-port", value.Int(0, 65535), "0", &fields.Metrics.TLSPort),
	field("metrics-bind", value.Text, "127.0.0.1", &fields.Metrics.Bind),
	field("metrics-top-keys", value.Int(0, 1000), "0", &fields.MetricsTopKeys),
	field("adaptive-metrics-keys", value.Checked("up to 32 keys", faultOfKeys), "",
		&fields.AdaptiveMetricsKeys).ofKeys(),
)

// MostAdaptiveKeys is the most keys of adaptive-metrics-keys.
const MostAdaptiveKeys = 32

// faultOfKeys returns the fault of a list of keys.
func faultOfKeys(text string) string {
	if len(strings.Fields(text)) > MostAdaptiveKeys {
		return "use at most 32 keys"
	}
	return ""
}

// validateRules checks the sources of rules.
func (c *Config) validateRules() error {
	if c.RulesURL == "" {
		return nil
	}
	u, err := url.Parse(c.RulesURL)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		shown := "the given text" // it may have a password
		if err == nil && u.Opaque == "" {
			shown = strconv.Quote(u.Redacted())
		}
		return fmt.Errorf("rules-url must be a URL such as https://rules.example/limits.yaml, "+
			"and not %s", shown)
	case c.RulesFile != "":
		return errors.New("rules-file and rules-url cannot go together: remove one of them")
	}
	return nil
}
