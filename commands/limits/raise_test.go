package limits

import (
	"fmt"
	"testing"
	"time"

	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestRaisedLimitHelpsAtOnce: what was counted counts at the rate of an override, and at that of the rule again
// without it.
func TestRaisedLimitHelpsAtOnce(t *testing.T) {
	for _, key := range []string{"acme", "a{cm}e", "a}cme"} {
		h := servertest.New(t)
		h.At(1_800_000_000_000_000_000)
		h.Do("CL.RULE SET plan CL.THROTTLE 4 5 3600")
		for range 5 {
			h.Do("CL.CHECK", "plan", key)
		}
		h.Want("CL.CHECK plan "+key, []any{1, 5, 0, 720, 3600})
		h.Want("CL.RULE OVERRIDE plan - "+key+" CL.THROTTLE 99 5000 3600", ok)
		h.Want("CL.CHECK plan "+key, []any{0, 100, 94, -1, 5})
		require.Contains(t, fmt.Sprint(h.Do("CL.EXPLAIN plan "+key)), "remaining 93")
		// A lowered rate does not forgive six actions, and nobody waits for longer than a burst of five.
		h.Want("CL.RULE OVERRIDE plan - "+key+" DEL", 1)
		h.Want("CL.CHECK plan "+key, []any{1, 5, 0, 720, 3600})
		h.Advance(720 * time.Second)
		h.Want("CL.CHECK plan "+key, []any{0, 5, 0, -1, 3600})
		h.Do("SELECT 3")
		h.Do("CL.CHECK", "plan", key, 5)
		h.Do("SELECT 0")
		h.Want("CL.RULE OVERRIDE plan - "+key+" CL.THROTTLE 9 10 10", ok)
		h.Do("SELECT 3")
		h.Want("CL.CHECK plan "+key, []any{0, 10, 4, -1, 6})
	}
}

// TestChargesStayCounted: a debt beyond the limit is not forgiven, also if the burst becomes smaller.
func TestChargesStayCounted(t *testing.T) {
	h := servertest.New(t)
	h.At(1_800_000_000_000_000_000)
	h.Do("CL.RULE SET r SCOPE user CL.THROTTLE 99 100 100")
	h.Want("CL.CHECK r k 350 CHARGE", []any{1, 100, -250, 251, 350})
	h.Do("CL.RULE OVERRIDE r user k CL.THROTTLE 99 200 100") // twice the rate
	h.Want("CL.CHECK r k", []any{1, 100, 0, 126, 175})
	h.Do("CL.RULE OVERRIDE r user k CL.THROTTLE 9 100 100") // a tenth of the burst
	h.Want("CL.CHECK r k 0 CHARGE", []any{1, 10, -250, 251, 260})
}
