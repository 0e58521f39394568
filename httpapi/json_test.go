package httpapi

import (
	"encoding/json"
	"math"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"testing"

	"cellserver/internal/randtest"

	"github.com/stretchr/testify/require"
)

// The JSON of a decision, for encoding/json.
type (
	decisionJSON struct {
		Type     string   `json:"type,omitempty"`
		Title    string   `json:"title,omitempty"`
		Status   int      `json:"status,omitempty"`
		Violated []string `json:"violated-policies,omitzero"`
		Allowed  bool     `json:"allowed"`
		*numbersJSON
		Hold     *int64       `json:"hold_ms,omitempty"`
		Policies []policyJSON `json:"policies,omitzero"`
	}
	numbersJSON struct {
		Limit     int64  `json:"limit"`
		Remaining int64  `json:"remaining"`
		Retry     *int64 `json:"retry_after"`
		Reset     int64  `json:"reset_after"`
	}
	policyJSON struct {
		Policy string `json:"policy"`
		numbersJSON
		Window int64 `json:"window,omitempty"`
		Shadow bool  `json:"shadow,omitempty"`
	}
)

// anyNumbers returns numbers of a reply.
func anyNumbers(random *rand.Rand) (t tightest) {
	for _, n := range []*int64{&t.limit, &t.remaining, &t.retry, &t.reset} {
		*n = int64(random.Uint64()) >> random.IntN(64)
		if random.IntN(20) == 0 {
			*n = [...]int64{math.MinInt64, math.MaxInt64, -1, 0}[random.IntN(4)]
		}
	}
	return t
}

// anyName returns a name of a rule or of a scope.
func anyName(random *rand.Rand) string {
	const letters = "azAZ09_-./"
	name := make([]byte, 1+random.IntN(8))
	for i := range name {
		name[i] = letters[random.IntN(len(letters))]
	}
	return string(name)
}

func anyDecision(random *rand.Rand) (d decision) {
	d.allowed, d.known, d.holds = random.IntN(2) == 0, random.IntN(8) > 0, random.IntN(4) == 0
	d.hold, d.tightest = int64(random.Uint64()), anyNumbers(random)
	for range random.IntN(5) {
		one := limit{rule: anyName(random), tightest: anyNumbers(random), limited: random.IntN(2) == 0, shadow: random.IntN(3) == 0, number: random.IntN(3)}
		if random.IntN(2) == 0 {
			one.scope = anyName(random)
		}
		if random.IntN(2) == 0 {
			one.kind = anyName(random)
		}
		one.window = max(0, int64(random.Uint64())>>random.IntN(64))
		d.limits = append(d.limits, one)
	}
	return d
}

// ofNumbers returns what the JSON of numbers should be.
func ofNumbers(t *tightest) numbersJSON {
	n := numbersJSON{t.limit, t.remaining, &t.retry, t.reset}
	if t.retry < 0 {
		n.Retry = nil
	}
	return n
}

// policyName returns the name of a policy.
func policyName(l *limit) string {
	parts := []string{l.rule}
	for _, part := range []string{l.scope, l.kind} {
		if part != "" {
			parts = append(parts, part)
		}
	}
	if l.number > 1 {
		parts = append(parts, strconv.Itoa(l.number))
	}
	return strings.Join(parts, ":")
}

// ofDecision returns what the JSON of a decision should be.
func ofDecision(d *decision, status int) (j decisionJSON) {
	j.Allowed = d.allowed
	if status != http.StatusOK {
		j.Type, j.Title, j.Status = "https://iana.org/assignments/http-problem-types#quota-exceeded", "The quota is used up", status
		j.Violated = []string{}
	}
	if d.known {
		n := ofNumbers(&d.tightest)
		j.numbersJSON, j.Policies = &n, []policyJSON{}
		if d.holds {
			j.Hold = &d.hold
		}
	}
	for i := range d.limits {
		l := &d.limits[i]
		if status != http.StatusOK && l.limited && !l.shadow {
			j.Violated = append(j.Violated, policyName(l))
		}
		if d.known {
			j.Policies = append(j.Policies, policyJSON{policyName(l), ofNumbers(&l.tightest), l.window, l.shadow})
		}
	}
	return j
}

// TestJSONOfDecisions compares the bodies of decisions with those of encoding/json.
func TestJSONOfDecisions(t *testing.T) {
	random := rand.New(randtest.Source(t))
	for range 5000 {
		d, refused := anyDecision(random), []int{200, 401, 403, 429}[random.IntN(4)]
		out := httptest.NewRecorder()
		d.write(out, refused)
		status := http.StatusOK
		if !d.allowed {
			status = refused
		}
		require.Equal(t, status, out.Code)
		want, err := json.Marshal(ofDecision(&d, status))
		require.NoError(t, err)
		require.Equal(t, string(want)+"\n", out.Body.String())
		for name, values := range out.Header() {
			require.Len(t, values, 1, name)
			require.False(t, strings.ContainsAny(values[0], "\r\n"), name)
		}
	}
}
