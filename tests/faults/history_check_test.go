package faults

import (
	"testing"
	"time"

	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// TestHistory tests the checker itself: it must find losses and wrong values.
func TestHistory(t *testing.T) {
	at := time.Unix(1_700_000_000, 0)
	story := func(k *kind, acked, underWay int) *track {
		x := &track{kind: k, key: "k", based: k != tat}
		for n := range int64(acked + underWay) {
			x.sent(at)
			if n < int64(acked) {
				reply := any(n + 1)
				switch k {
				case text:
					reply = resptest.Simple("OK")
				case tat:
					reply = []any{nil, at.UnixNano() + (n+1)*interval}
				case pair:
					reply = []any{n + 1, n + 1}
				}
				require.NoError(t, x.answered(reply, n+1, at.Add(time.Duration(n)*time.Second), 0))
			}
		}
		return x
	}
	tatAfter := func(n int64) any { return at.UnixNano() + n*interval }
	absent := resptest.NilBulk
	for _, c := range []struct {
		name            string
		kind            *kind
		acked, underWay int
		found           any
		lost            int
		wrong           bool
	}{
		{"all of it", counter, 3, 2, "3", 0, false},
		{"and what was under way", counter, 3, 2, "5", 0, false},
		{"more than was ever sent", counter, 3, 2, "6", 0, true},
		{"one lost", counter, 3, 2, "2", 1, false},
		{"all lost", counter, 3, 2, absent, 3, false},
		{"garbage", counter, 3, 2, "3x", 0, true},
		{"less than nothing", counter, 3, 2, "-1", 0, true},
		{"a score", score, 3, 0, "1", 2, false},
		{"a text", text, 3, 0, padding + "2", 1, false},
		{"a torn text", text, 3, 0, padding[1:] + "3", 0, true},
		{"a pair", pair, 3, 0, []any{"3", "3"}, 0, false},
		{"a torn pair", pair, 3, 0, []any{"3", "2"}, 0, true},
		{"half a pair", pair, 1, 0, []any{"1", absent}, 0, true},
		{"a TAT", tat, 3, 1, tatAfter(3), 0, false},
		{"a TAT of before", tat, 3, 1, tatAfter(1), 2, false},
		{"a TAT that throttles too much", tat, 3, 1, tatAfter(5), 0, true},
		{"a TAT in between", tat, 3, 1, at.UnixNano() + interval/2, 0, true},
		{"a TAT that was under way", tat, 0, 1, tatAfter(1), 0, false},
		{"a TAT from nowhere", tat, 0, 0, tatAfter(1), 0, true},
		{"a TAT of before its request", tat, 0, 1, at.UnixNano(), 0, true},
		{"the second TAT that was under way", tat, 0, 2, tatAfter(2), 0, false},
		{"a third", tat, 0, 2, tatAfter(3), 0, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			x := story(c.kind, c.acked, c.underWay)
			l, err := x.recovered(c.found, at.Add(time.Hour))
			require.Equal(t, c.wrong, err != nil, "%v", err)
			require.Equal(t, c.lost, l.lost)
			if c.lost > 0 {
				require.Equal(t, at.Add(time.Duration(c.acked-c.lost)*time.Second), l.oldest)
			}
		})
	}
}

// TestHistoryGoesOnAfterARecovery requires that writes which one recovery found are there after the next recovery.
func TestHistoryGoesOnAfterARecovery(t *testing.T) {
	x := &track{kind: counter, key: "k", based: true}
	x.sent(time.Now())
	_, err := x.recovered("1", time.Now())
	require.NoError(t, err)
	l, err := x.recovered(resptest.NilBulk, time.Now())
	require.NoError(t, err)
	require.Equal(t, 1, l.lost)
	require.Zero(t, l.oldest)
}

// TestHistoryEndsWithTheFault requires that acknowledgements after the fault do not count: a machine without power
// sends none.
func TestHistoryEndsWithTheFault(t *testing.T) {
	x := &track{kind: counter, key: "k", based: true}
	for n := range int64(2) {
		x.sent(time.Now())
		require.NoError(t, x.answered(n+1, n+1, time.Unix(n, 0), 0))
	}
	l, err := x.recovered(resptest.NilBulk, time.Unix(1, 0))
	require.NoError(t, err)
	require.Equal(t, loss{1, time.Unix(0, 0)}, l)
}

// TestHistoryOfWrongReplies requires that the checker notices a server that counts wrongly while it runs.
func TestHistoryOfWrongReplies(t *testing.T) {
	for _, reply := range []any{int64(0), int64(3), "x", nil} {
		x := &track{kind: counter, key: "k", based: true}
		x.sent(time.Now())
		require.Error(t, x.answered(reply, 1, time.Now(), 0), "%v", reply)
	}
}
