package limiters

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/limiters/reservation"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// moving is every way to keep a limit in a key, and the requests to it.
var moving = []string{
	"CL.THROTTLE 4 5 60", "CL.WINDOW 5 60", "CL.WINDOW 5 60 ALIGN", "CL.SLIDING 5 60", "CL.LOG 5 60", "CL.LOG 5 60 RESOLUTION 7", "CL.LOG 5 60 STRICT GAP 3",
	"CL.PACE 4 5 60", "CL.PACE 4 5 60 WARMUP 30 MAXWAIT 90", "CL.ACQUIRE 3 60 holder",
}

// limiterOf parses a line of moving.
func limiterOf(t *testing.T, line, holder string) Limiter {
	in := words(line)
	if l, err := Parse(in); err == nil {
		return l
	}
	var a Args
	a.Begin("test", in[1:])
	if string(in[0]) == "CL.PACE" {
		l, err := ReadPace(&a)
		require.NoError(t, err)
		return l
	}
	l, err := ReadLease(&a)
	require.NoError(t, err)
	l.holder = []byte(holder)
	return l
}

// onGrid reports whether a limiter has windows or buckets at multiples of a time since the epoch.
func onGrid(line string) bool {
	return strings.Contains(line, "ALIGN") || strings.Contains(line, "RESOLUTION") || strings.Contains(line, "SLIDING")
}

// mayBeStricter reports whether a limiter may let less pass after a step: a log still has entries that it had forgotten.
func mayBeStricter(line string) bool { return strings.Contains(line, "LOG") }

// morePermissive reports whether a lets more pass than b.
func morePermissive(a, b *Answer) bool {
	return !a.Limited && b.Limited || a.Limited == b.Limited && a.Remaining > b.Remaining
}

// TestMoveBackMovesReleases: the end of a reservation and the time of its request move with the clock, whether it is due or not.
func TestMoveBackMovesReleases(t *testing.T) {
	const now, back = int64(1_900_000_000_123_456_789), int64(3_600_000_000_001)
	s := store.New(store.Options{Databases: 1, MoveBack: MoveBack})
	want := []store.Item{}
	run := func(now int64, f func(e store.Entry)) {
		tx := s.NewTx()
		tx.BeginKey(now, 0, []byte("key"))
		defer tx.End()
		f(tx.Write([]byte("key")))
	}
	run(now, func(e store.Entry) {
		for _, end := range []int64{now - 5e9, now + 1, now + 60e9} {
			r := reservation.Record{ID: []byte("id"), At: now - 9e9, End: end, Quantity: 5, Marks: []reservation.Mark{{Limit: 7, IsTime: true, Value: now + 9e9}, {Limit: 8, Value: 6}}}
			e.ZAdd(ReleaseScore(end), r.AppendRelease(nil))
			r.At, r.End, r.Marks[0].Value = r.At-back, end-back, r.Marks[0].Value-back
			want = append(want, store.Item{Score: ReleaseScore(end - back), Member: string(r.AppendRelease(nil))})
		}
		e.SetExpiry(now/1e6 + 70_000)
	})
	s.StepBack(store.Step{Was: now, Back: back}, nil)
	run(now-back, func(e store.Entry) {
		for i, item := range want {
			require.Equal(t, item, e.Sorted().At(i))
		}
		require.Equal(t, now/1e6+70_000-back/1e6, e.ExpireAt())
	})
}

// TestMoveBackKeepsWhatIsLeft runs the same requests on two keyspaces. The clock of one goes on, the other one's is set back
// some time. From then on both answer the same, or the second is stricter.
func TestMoveBackKeepsWhatIsLeft(t *testing.T) {
	r := rand.New(randtest.Source(t))
	for range 100 {
		line := moving[r.IntN(len(moving))]
		steady := store.New(store.Options{Databases: 1})
		stepped := store.New(store.Options{Databases: 1, MoveBack: MoveBack})
		now, back := int64(1_900_000_000_000_000_000)+r.Int64N(1e6)*1e6, int64(0)
		ask := func(s *store.Store, now int64, holder string, quantity int64) (a Answer) {
			var fp store.Footprint
			fp.AddAll()
			tx := s.NewTx()
			tx.Begin(now, 0, &fp)
			defer tx.End()
			var e store.Entry
			l := limiterOf(t, line, holder)
			l.Find(&e, tx, []byte("key"))
			require.NoError(t, l.Decide(&e, &a, now, quantity), line)
			if a.Changed {
				l.Apply(&e, &a, now)
			}
			a.state = [4]int64{}
			return a
		}
		for range 60 {
			now += r.Int64N(8e3) * 1e6
			if r.IntN(10) == 0 {
				by := 10e9 + r.Int64N(1<<r.IntN(39))*1e6
				if now-back-by < 1e18 {
					continue
				}
				stepped.StepBack(store.Step{Was: now - back, Back: by}, nil)
				back += by
			}
			if onGrid(line) && back > 0 {
				// A window or a wait that runs at the step keeps its remaining time. The next windows and buckets are
				// on another grid.
				want, got := ask(steady, now, "", 0), ask(stepped, now-back, "", 0)
				require.False(t, morePermissive(&got, &want), line)
				break
			}
			holder, quantity := fmt.Sprint(r.IntN(5)), r.Int64N(3)
			want, got := ask(steady, now, holder, quantity), ask(stepped, now-back, holder, quantity)
			if morePermissive(&want, &got) && mayBeStricter(line) {
				break // from now on they differ, because the stricter one has let less pass
			}
			require.Equal(t, []any{want.Limited, want.Remaining}, []any{got.Limited, got.Remaining}, line)
			if !mayBeStricter(line) {
				require.InDelta(t, want.ResetAfter, got.ResetAfter, 2e6, line)
				require.InDelta(t, want.RetryAfter, got.RetryAfter, 2e6, line)
				require.InDelta(t, want.Hold, got.Hold, 2e6, line)
			}
		}
	}
}
