package ruleset

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAFileOfManyNodes: the parser would take hundreds of megabytes for any of these texts of two megabytes.
func TestAFileOfManyNodes(t *testing.T) {
	for _, part := range []string{"-\n", "[],", "a,", "- ", "-\t", "? ", "-\r", "-\u2028", "{},"} {
		_, err := parseFile([]byte("[" + strings.Repeat(part, (2<<20)/len(part))))
		require.ErrorContains(t, err, ", and 420000 are the most", part)
	}
	for _, override := range []string{
		"      k12345: 5/minute\r\n", "      k12345:\r\n        - 5/minute\r\n", `"k12345":["5/minute"],`,
		"        \"k12345\": [\n          \"5/minute\"\n        ],\n",
	} {
		require.NoError(t, tooManyNodes([]byte(strings.Repeat(override, (4<<20)/len(override)))), override)
	}
	for _, line := range []string{"\n", "\r\n"} {
		_, err := parseFile([]byte("rules:\n" + strings.Repeat(line, maxMarks-100)))
		require.ErrorContains(t, err, "there is nothing below rules")
	}
}

func FuzzRulesFile(f *testing.F) {
	f.Add([]byte("rules:\n  login:\n    limits:\n      - CL.THROTTLE 4 5 60\n      - CL.WINDOW 100 86400 ALIGN\n"))
	f.Add([]byte("rules: {a: {limits: [CL.THROTTLE 1 1 1], shadow: yes}}"))
	f.Add([]byte("rules:\n  llm:\n    scopes:\n      org: CL.WINDOW 5 60\n      user:\n        - CL.THROTTLE 1 1 1\n        - CL.LOG 1 1\n"))
	f.Add([]byte(`{"scopes": {"org": ["CL.WINDOW 5 60"], "user": "CL.LOG 1 1"}, "overrides": {"org": {"\u00e4": {"limits": "CL.WINDOW 6 60"}}}, "shadow": true}`))
	f.Fuzz(func(t *testing.T, text []byte) {
		staysInJSON(t, text)
		set, err := parseFile(text)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		for _, one := range set.byName {
			again, err := Parse(one.Name, words(one.text))
			require.NoError(t, err)
			require.Equal(t, one.text, again.text)
			require.Equal(t, one.limits(), again.limits())
			require.Len(t, again.Scopes, len(one.Scopes))
		}
	})
}

// staysInJSON requires that a rule in JSON stays the same when it is parsed and written again.
func staysInJSON(t *testing.T, text []byte) {
	one, err := parseJSON("r", text)
	if err != nil {
		require.NotContains(t, err.Error(), "\n")
		return
	}
	first, err := one.object()
	require.NoError(t, err)
	text, err = json.Marshal(first)
	require.NoError(t, err)
	again, err := parseJSON("r", text)
	require.NoError(t, err, "%s", text)
	second, err := again.object()
	require.NoError(t, err)
	require.Equal(t, first, second)
}
