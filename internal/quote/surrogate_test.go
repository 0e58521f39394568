package quote

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestLoneSurrogate: of the texts that a decoder takes, exactly those are refused in which it replaces an escape.
func TestLoneSurrogate(t *testing.T) {
	parts := []string{`\ud83d`, `\uDE00`, `\ufffd`, `\u0041`, `\\`, `\"`, `ud83d`, `é`, `\n`, `\uD83D\ude00`, `\udbff`, `\ue000`}
	for _, a := range parts {
		for _, b := range parts {
			for _, c := range parts {
				text := `"` + a + b + c + `"`
				var got string
				require.NoError(t, json.Unmarshal([]byte(text), &got))
				whole := strings.Count(text, `\ufffd`)
				require.Equal(t, strings.Count(got, "\ufffd") > whole, LoneSurrogate([]byte(text)), text)
			}
		}
	}
}
