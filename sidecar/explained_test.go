package sidecar_test

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/commands"
	web "cellserver/httpapi/line"
	"cellserver/limiters/rules"
	"cellserver/server/servertest"
	"cellserver/sidecar/account"

	"github.com/stretchr/testify/require"
)

// overHTTP sets a rule of 900 units, and returns a function that asks the first sidecar about one.
func overHTTP(t *testing.T, w *world) (ask func() *rules.Question, end func()) {
	return ruleOverHTTP(t, w, "CL.WINDOW 900 3600 AND CL.THROTTLE 9999 10000 3600")
}

// ruleOverHTTP is overHTTP for a rule.
func ruleOverHTTP(t *testing.T, w *world, limits string) (ask func() *rules.Question, end func()) {
	w.do("CL.RULE SET two " + limits)
	local, beside := servertest.New(t), w.sidecars[0].running.Load().sidecar
	lines := web.New(1, nil, func(p commands.Peer) web.Handler { return beside.ConnectLine(local.Server.Connect(p), p) })
	return func() *rules.Question {
		q := &rules.Question{Quantity: 1}
		_, err := lines.Ask(t.Context(), q.Words([]string{"two"}, []string{"k"}), q)
		require.NoError(t, err)
		return q
	}, lines.Close
}

// TestRemainingOverHTTP: the hub counts a question of each second itself, and units are on their way meanwhile. So no answer
// claims more units than are left.
func TestRemainingOverHTTP(t *testing.T) {
	for seed := range uint64(4) {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, seed, 1, 1, account.Deny)
			defer w.close()
			ask, end := overHTTP(t, w)
			defer end()
			allowed, last := int64(0), int64(900)
			for range 1000 {
				if q := ask(); q.Refusing < 0 {
					allowed++
					last = q.Tightest.Remaining
					require.LessOrEqual(t, last, 900-allowed)
				}
				time.Sleep(5 * time.Millisecond)
			}
			require.LessOrEqual(t, last, int64(20))
			require.Greater(t, allowed, int64(850))
		})
	}
}

// TestUnitsOverHTTP: once a second a question goes to the hub itself. If the hub has nothing left, a unit that is left here still
// allows the request.
func TestUnitsOverHTTP(t *testing.T) {
	for drained := range 10 {
		synctest.Test(t, func(t *testing.T) {
			w := newWorld(t, 1, 1, 1, account.Deny)
			defer w.close()
			ask, end := overHTTP(t, w)
			defer end()
			over := false
			for i := range 400 {
				if i == 180+2*drained { // the explanation ends after 200 questions
					left := w.do("CL.CHECK two k 0").([]any)[2]
					require.Equal(t, int64(0), w.do(fmt.Sprint("CL.CHECK two k ", left)).([]any)[0])
				}
				q := ask()
				require.Len(t, q.Policies, 2)
				if over = over || q.Refusing >= 0; over {
					require.GreaterOrEqual(t, q.Refusing, 0, "question %d: a unit was here when the last one was refused", i)
				}
				time.Sleep(5 * time.Millisecond)
			}
			require.True(t, over)
		})
	}
}

// TestEqualLimitsOverHTTP: of two limits with the same number, the answer shows the one that decides as that.
func TestEqualLimitsOverHTTP(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := newWorld(t, 1, 1, 1, account.Deny)
		defer w.close()
		ask, end := ruleOverHTTP(t, w, "CL.THROTTLE 899 900 1 AND CL.WINDOW 900 3600")
		defer end()
		for i := range 600 {
			require.LessOrEqual(t, ask().Policies[0].ResetAfter, int64(1e9), "question %d: that of the window", i)
			time.Sleep(5 * time.Millisecond)
		}
	})
}
