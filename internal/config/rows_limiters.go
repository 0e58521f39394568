package config

import (
	"errors"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"cellserver/internal/config/value"
)

var limiterDirectives = group("Rate limiting", "",
	field("rules-file", value.Text, "", &fields.RulesFile,
		"YAML file of the rules for CL.CHECK; a regular file of at most 4 MB. The server reads it again on "+
			"SIGHUP and when the file changes.").protected().ofKeys(),
	field("rules-url", value.Text, "", &fields.RulesURL,
		"URL of the rules for CL.CHECK, instead of rules-file. The server asks it every 10 seconds, and "+
			"keeps the last answer without an error in `rules-url.yaml`.").protected().sensitive().ofKeys(),
	field("clock-step-limit", value.Int(0, maxInt), "10", &fields.ClockStepLimit,
		"Seconds by which the wall clock may be set back before limits and expiries go on "+
			"with the former time; 0 is never. A smaller step makes limits last longer by that time."),
)

var metricsDirectives = group("Metrics", "",
	field("metrics-port", value.Int(0, 65535), "0", &fields.Metrics.Port,
		"TCP port of the metrics for Prometheus (HTTP, /metrics); 0 is none."),
	field("metrics-tls-port", value.Int(0, 65535), "0", &fields.Metrics.TLSPort,
		"TCP port of the same metrics with [TLS](http.md#tls); 0 is none."),
	field("metrics-bind", value.Text, "127.0.0.1", &fields.Metrics.Bind,
		"Address of the metrics ports; empty is every address. There is no password."),
	field("metrics-top-keys", value.Int(0, 1000), "0", &fields.MetricsTopKeys,
		"Number of keys that metrics and INFO list: the keys that are refused most often; 0 is none. "+
			"Metrics need no password, and a key may be the name of a person or a credential."),
	field("adaptive-metrics-keys", value.Checked("up to 32 keys", faultOfKeys), "",
		&fields.AdaptiveMetricsKeys,
		"Keys of [CL.ENTER](adaptive.md) in database 0 whose limits the metrics and the page show, "+
			"with spaces between them.").ofKeys(),
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
