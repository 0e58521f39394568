package httpapi

import (
	"encoding/json"
	"fmt"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

func TestPlain(t *testing.T) {
	zeros := strings.Repeat("0", 60_000)
	for number, want := range map[string]string{
		"5": "5", "-5": "-5", "5.0": "5", "1e3": "1000", "1E+15": "1000000000000000", "50e-1": "5", "5.5": "5.5", "55e-1": "5.5",
		"0": "0", "-0": "0", "0.0": "0", "0e999999999999999999999": "0", "1e-9": "0.000000001", "-2.50e1": "-25",
		"9007199254740993": "9007199254740993", "9007199254740993.0": "9007199254740993", "1e18": "1000000000000000000",
		"9223372036854775807": "9223372036854775807", "0." + zeros + "1e60001": "1", "1" + zeros + "e-60000": "1", "5." + zeros: "5",
		"1e400": "", "1e999999999": "", "1e-999999999": "", "1e99999999999999999999": "", "1e33": "", "1e-33": "", "1" + zeros: "",
	} {
		got, ok := plain(json.Number(number))
		require.Equal(t, want, got, "%.40s", number)
		require.Equal(t, want != "", ok)
	}
}

// TestPlainIsExact compares numbers of random forms with rational numbers.
func TestPlainIsExact(t *testing.T) {
	random := rand.New(randtest.Source(t))
	for range 5000 {
		number := fmt.Sprintf("%d.%0*de%d", int64(random.Uint64())>>random.IntN(64), 1+random.IntN(6), random.IntN(9), random.IntN(24)-12)
		want, ok := new(big.Rat).SetString(number)
		require.True(t, ok)
		text, ok := plain(json.Number(number))
		if !ok {
			continue
		}
		got, ok := new(big.Rat).SetString(text)
		require.True(t, ok, text)
		require.Zero(t, want.Cmp(got), "%s: %s", number, text)
		require.Equal(t, want.IsInt(), !strings.ContainsAny(text, ".e"), "%s: %s", number, text)
	}
}

// TestWholeNumbers: each request takes a whole number in each form of JSON, and refuses each other number.
func TestWholeNumbers(t *testing.T) {
	w := newWeb(t)
	w.Do("CL.RULE SET api CL.WINDOW 1000000000000000 60")
	w.Do("CL.RULE SET llm SCOPE org CL.WINDOW 1000000 60 AND SCOPE user CL.WINDOW 1000000 60")
	for target, body := range map[string]string{
		"/throttle":   `{"limiter": "window", "key": "a", "limit": %s, "period": 60}`,
		"/throttle?":  `{"key": "b", "max_burst": 5000, "count": 1, "period": 60, "quantity": %s}`,
		"/throttle?a": `{"limiter": "acquire", "key": "c", "limit": %s, "lease": 6e1, "holder": "h"}`,
		"/throttle?b": `{"limiter": "mthrottle", "limits": [{"key": "d", "max_burst": 5e3, "count": %s, "period": 600e-1}]}`,
		"/check/api":  `{"key": "a", "quantity": %s}`,
		"/check":      `{"rules": [{"rule": "api", "key": "a"}], "quantity": %s}`,
		"/reserve":    `{"rule": "api", "key": "a", "id": "%[1]s", "quantity": %[1]s, "ttl": 6e1}`,
		"/settle":     `{"rule": "llm", "keys": ["a", "b"], "id": "i", "quantity": %s}`,
	} {
		target, _, _ := strings.Cut(target, "?")
		for _, number := range []string{"5.0", "1e3", "50e-1", "1E+1"} {
			w.post("/reserve", `{"rule": "llm", "keys": ["a", "b"], "id": "i", "quantity": 1.0, "ttl": 60}`)
			require.Equal(t, 200, w.post(target, fmt.Sprintf(body, number)).Status, "%s %s %s", target, body, number)
		}
		for number, repeats := range map[string]string{"5.5": "5.5", "1e400": "1e400", "1e999999999": "1e999999999", "1e19": "10000000000000000000"} {
			got := w.post(target, fmt.Sprintf(body, number))
			require.Equal(t, []any{400, badRequest}, got.code(), "%s %s", body, number)
			require.Contains(t, got.Body["detail"], repeats, "%s %s", body, number)
		}
	}
	w.post("/check/api", `{"key": "exact", "quantity": 900719925474099.0}`)
	require.Equal(t, "900719925474099", w.Do("GET api:{exact}:window"))
}
