package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOnePortForTwoDirectives is refused where an address would have both, and nowhere else.
func TestOnePortForTwoDirectives(t *testing.T) {
	secure := []string{"tls-cert-file", "a", "tls-key-file", "b", "tls-auth-clients", "no"}
	for want, args := range map[string][]string{
		"port and tls-port are both 6379":              {"tls-port", "6379"},
		"port and http-tls-port are both 6379":         {"http-tls-port", "6379"},
		"port and http-port are both 6379":             {"http-port", "6379", "http-bind", "localhost"},
		"port and metrics-port are both 6379":          {"metrics-port", "6379", "metrics-bind", "0.0.0.0"},
		"http-port and http-tls-port are both 80":      {"http-port", "80", "http-tls-port", "80"},
		"tls-port and metrics-tls-port are both 81":    {"tls-port", "81", "metrics-tls-port", "81", "metrics-bind", ""},
		"http-port and metrics-tls-port are both 7000": {"http-port", "7000", "metrics-tls-port", "7000"},
	} {
		require.ErrorContains(t, configured(t, append(args, secure...)...).Validate(), want)
	}
	for _, args := range [][]string{
		{"http-port", "6379", "http-bind", "127.0.0.2"}, {"tls-port", "0"}, {"http-port", "6380", "metrics-port", "6381"},
	} {
		require.NoError(t, configured(t, append(args, secure...)...).Validate(), args)
	}
	c := configured(t, append(secure, "http-port", "6379")...)
	c.Bind = []string{"10.0.0.5"}
	require.NoError(t, c.Validate())
	c.Bind = append(c.Bind, "*")
	require.ErrorContains(t, c.Validate(), "port and http-port")

	c = configured(t, "http-port", "16379", "appendonly", "no", "cluster-enabled", "yes")
	require.NoError(t, c.Validate())
	c.Cluster.Nodes = []string{"127.0.0.1:6379", "127.0.0.2:6379"}
	require.ErrorContains(t, c.Validate(), "http-port and cluster-port are both 16379")
}

// configured returns the defaults with some directives of one value.
func configured(t *testing.T, args ...string) *Config {
	t.Helper()
	c := Default()
	for i := 0; i < len(args); i += 2 {
		d, known := Lookup(args[i])
		require.True(t, known, args[i])
		require.NoError(t, d.Set(c, []string{args[i+1]}))
	}
	return c
}
