package rules

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func FuzzRulesFile(f *testing.F) {
	f.Add([]byte("rules:\n  login:\n    limits:\n      - CL.THROTTLE 4 5 60\n      - CL.WINDOW 100 86400 ALIGN\n"))
	f.Add([]byte("rules: {a: {limits: [CL.THROTTLE 1 1 1], shadow: yes}}"))
	f.Add([]byte("rules:\n  llm:\n    scopes:\n      org: CL.WINDOW 5 60\n      user:\n        - CL.THROTTLE 1 1 1\n        - CL.LOG 1 1\n"))
	f.Fuzz(func(t *testing.T, text []byte) {
		set, err := parseFile(text)
		if err != nil {
			require.NotContains(t, err.Error(), "\n")
			return
		}
		for _, one := range set.byName {
			again, err := parse(one.name, words(one.text))
			require.NoError(t, err)
			require.Equal(t, one.text, again.text)
			require.Equal(t, one.limits(), again.limits())
			require.Len(t, again.scopes, len(one.scopes))
		}
	})
}
