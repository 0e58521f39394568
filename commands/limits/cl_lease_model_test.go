package limits

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// leaseWorld is a life of one key. Holders lease units and spend them late, lose answers, and give units
// back. Other clients ask directly. It keeps when each unit was spent, in ms.
type leaseWorld struct {
	*rand.Rand
	h      *servertest.Harness
	limit  string // the words of the command
	now    int64  // ms after the epoch
	leases []heldLease
	spent  []int64
	late   bool // the bait: holders spend for twice as long as they may
}

// heldLease is what a holder has of a lease, with the words of its reply.
type heldLease struct{ units, begin, ends, at int64 }

func (w *leaseWorld) do(line string) []int64 {
	got := w.h.Do(line)
	var n []int64
	for _, one := range got.([]any) {
		n = append(n, one.(int64))
	}
	return n
}

func (w *leaseWorld) spend(n, at int64) {
	for range n {
		w.spent = append(w.spent, at)
	}
}

func (w *leaseWorld) step() {
	w.now += w.Int64N(200) * w.Int64N(2)
	w.h.At(leaseEpoch + w.now*1e6)
	w.settle()
	switch w.IntN(3) {
	case 0:
		n := 1 + w.Int64N(4)
		if w.do(fmt.Sprintf("%s QUANTITY %d", w.limit, n))[0] == 0 {
			w.spend(n, w.now)
		}
	default:
		back := ""
		if i := w.IntN(len(w.leases) + 1); i < len(w.leases) && w.IntN(2) == 0 {
			l := w.leases[i]
			w.leases = slices.Delete(w.leases, i, i+1)
			back = fmt.Sprintf("BACK %d %d %d ", l.units, l.at, l.ends)
		}
		got := w.do(fmt.Sprintf("CL.LEASE %d %d %s%s", w.Int64N(12), 1+w.Int64N(1500), back, w.limit))
		if got[0] > 0 && w.IntN(8) > 0 {
			w.leases = append(w.leases, heldLease{got[0], w.now, got[5], got[6]})
		}
	}
}

// settle lets holders spend: some units now, and all that are left when a lease ends.
func (w *leaseWorld) settle() {
	kept := w.leases[:0]
	for _, l := range w.leases {
		end := l.begin + l.ends - 1 // a holder stops a moment before
		if w.late {
			end += l.ends + 400
		}
		switch {
		case w.now >= end:
			w.spend(l.units, end)
			continue
		case w.IntN(4) == 0:
			n := w.Int64N(l.units + 1)
			w.spend(n, w.now)
			l.units -= n
		}
		if l.units > 0 {
			kept = append(kept, l)
		}
	}
	w.leases = kept
}

// leaseKinds are commands that allow 10 units in a second, with what each promises of the times of all units.
var leaseKinds = map[string]func(spent []int64) bool{
	"CL.THROTTLE k 9 10 1": func(spent []int64) bool {
		for i := range spent {
			for j := i; j < len(spent); j++ {
				if int64(j-i+1)*100 > 1000+spent[j]-spent[i] {
					return false
				}
			}
		}
		return true
	},
	"CL.WINDOW k 10 1 ALIGN": func(spent []int64) bool {
		in := map[int64]int{}
		for _, at := range spent {
			if in[at/1000]++; in[at/1000] > 10 {
				return false
			}
		}
		return true
	},
	"CL.SLIDING k 10 1": func(spent []int64) bool {
		in := map[int64]int64{}
		for _, at := range spent {
			window := at / 1000
			in[window]++
			if in[window]+in[window-1]*(1000-at%1000)/1000 > 10 {
				return false
			}
		}
		return true
	},
	"CL.LOG k 10 1":                holdsInAnyPeriod,
	"CL.LOG k 10 1 RESOLUTION 0.1": holdsInAnyPeriod,
}

// holdsInAnyPeriod reports whether no second has more than 10 units.
func holdsInAnyPeriod(spent []int64) bool {
	for i := range spent {
		if i >= 10 && spent[i]-spent[i-10] < 1000 {
			return false
		}
	}
	return true
}

// TestLeaseModel: in no life of a key, units of leases and of direct requests break the promise of the
// limiter. Holders that spend late do, for each limiter.
func TestLeaseModel(t *testing.T) {
	worlds := 500
	if testing.Short() {
		worlds = 200
	}
	r := rand.New(randtest.Source(t))
	for _, limit := range slices.Sorted(maps.Keys(leaseKinds)) { // a seed means one order
		holds := leaseKinds[limit]
		live := func(late bool) bool {
			w := &leaseWorld{Rand: r, h: servertest.New(t), limit: limit, late: late}
			for range 20 + r.IntN(40) {
				w.step()
			}
			for _, l := range w.leases {
				w.spend(l.units, l.begin+l.ends-1)
			}
			slices.Sort(w.spent)
			return holds(w.spent)
		}
		for range worlds {
			require.True(t, live(false), limit)
		}
		found := false
		for i := 0; i < 5000 && !found; i++ {
			found = !live(true)
		}
		require.True(t, found, "nobody sees that holders of %s spend late", limit)
	}
}
