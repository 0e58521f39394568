package config

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestValidateUpstream(t *testing.T) {
	for values, wrong := range map[[4]string]string{
		{}:               "",
		{"port", "7000"}: "",
		{"upstream-user", "side", "upstream-password", "x"}: "",
		{"upstream-tls", "yes"}:                             "",
		{"upstream-tls", "yes", "tls-cert-file", "c"}:       "upstream-tls needs both tls-cert-file and tls-key-file",
		{"upstream-user", "side"}:                           "upstream-user needs upstream-password",
		{"appendonly", "yes"}:                               "upstream cannot go with appendonly yes",
		{"save", "60 1"}:                                    "upstream cannot go with save",
		{"cluster-enabled", "yes"}:                          "upstream cannot go with cluster-nodes or cluster-enabled",
		{"rules-file", "r.yaml"}:                            "upstream cannot go with rules-file or rules-url",
		{"requirepass", "x"}:                                "upstream cannot go with requirepass",
		{"aclfile", "a"}:                                    "upstream cannot go with requirepass, aclfile or user",
		{"http-user", "ann"}:                                "upstream cannot go with http-user",
		{"upstream", "", "upstream-password", "x"}:          "upstream-user, upstream-password and upstream-tls need upstream",
	} {
		c := Default()
		set := []string{"appendonly", "no", "upstream", "10.0.0.1:6379,10.0.0.2:6379 hub:7000"}
		set = append(set, values[:]...)
		for i := 0; i < len(set); i += 2 {
			if set[i] == "" {
				continue
			}
			d, known := Lookup(set[i])
			require.True(t, known, set[i])
			require.NoError(t, d.Set(c, d.Split(set[i+1])), set[i])
		}
		err := c.Validate()
		if wrong == "" {
			require.NoError(t, err, values)
			require.Equal(t, []string{"10.0.0.1:6379", "10.0.0.2:6379", "hub:7000"}, c.Upstream.Nodes)
			continue
		}
		require.ErrorContains(t, err, wrong, values)
	}
	d, _ := Lookup("upstream")
	for _, text := range []string{"hub", "hub:", ":6379", "hub:70000", "hub:6379@16379"} {
		require.ErrorContains(t, d.Set(Default(), []string{text}), "'"+text+"' is not host:port", text)
	}
	require.ErrorContains(t, d.Set(Default(), []string{"a:1,a:2,a:3,a:4,a:5,a:6,a:7,a:8,a:9,a:10"}), "at most 9 nodes")
}
