package limits

import (
	"fmt"
	"math/rand/v2"
	"strconv"
	"testing"

	"cellserver/internal/randtest"
	"cellserver/server/servertest"

	"github.com/stretchr/testify/require"
)

// TestClEnterNeverExceedsItsLimit: at no step of a random story do more calls begin than the limit allows. Each partition has its
// share more, and nothing else has.
func TestClEnterNeverExceedsItsLimit(t *testing.T) {
	r := rand.New(randtest.Source(t))
	steps := 1_000_000
	if testing.Short() {
		steps = 30_000
	}
	h := servertest.New(t)
	m := flights{h: h, r: r}
	for i := range steps {
		if i%20_000 == 0 {
			h.Do("FLUSHALL")
			m.ends, m.in = map[string]int64{}, map[string]string{}
			m.algorithm = []string{"GRADIENT", "GRADIENT2", "VEGAS", "AIMD 0.05"}[r.IntN(4)] + []string{"", " WINDOW 0", " WINDOW 0.1"}[r.IntN(3)]
			m.partitioned = r.IntN(2) == 0
		}
		m.step(t)
	}
}

// flights is a naive model of the calls of one limit.
type flights struct {
	h           *servertest.Harness
	r           *rand.Rand
	algorithm   string
	partitioned bool
	ends        map[string]int64  // of leases, by holder
	in          map[string]string // the partition of a holder
}

// under returns the calls under way: all, and those of a partition.
func (m *flights) under(partition string) (all, own int64) {
	for holder, end := range m.ends {
		if end > m.h.Clock.Time {
			all++
			if m.in[holder] == partition {
				own++
			}
		}
	}
	return all, own
}

func (m *flights) step(t *testing.T) {
	m.h.Clock.Advance(m.r.Int64N(20e6) * m.r.Int64N(2))
	holder := "h" + strconv.Itoa(m.r.IntN(60))
	if m.r.IntN(5) < 2 {
		m.leave(t, holder)
		return
	}
	partition, share, words := "", int64(0), ""
	if m.partitioned && m.r.IntN(4) > 0 {
		name := []string{"live", "batch"}[m.r.IntN(2)]
		share = map[string]int64{"live": 70, "batch": 30}[name]
		partition, words = name, " PARTITION "+name+" OF live 70 batch 30"
	}
	if m.ends[holder] > m.h.Clock.Time && m.in[holder] != partition {
		return // a holder has one permit
	}
	all, own := m.under(partition)
	lease := 1 + m.r.Int64N(2000)
	reply := m.h.Do(fmt.Sprintf("CL.ENTER k %d.%03d %s %s BETWEEN 1 40 START %d%s", lease/1000, lease%1000, holder, m.algorithm,
		1+m.r.IntN(40), words)).([]any)
	limit, refused := reply[1].(int64), reply[0].(int64) == 1
	renews := m.ends[holder] > m.h.Clock.Time
	guaranteed := share > 0 && own < max(1, (limit*share+99)/100)
	require.Equal(t, !renews && all >= limit && !guaranteed, refused, "%d of %d, %d in %q", all, limit, own, partition)
	if !refused {
		m.ends[holder] = (m.h.Clock.Time + lease*1e6) / 1000 * 1000
		m.in[holder] = partition
	}
}

func (m *flights) leave(t *testing.T, holder string) {
	held := m.ends[holder] > m.h.Clock.Time
	delete(m.ends, holder)
	reply := m.h.Do(fmt.Sprintf("CL.LEAVE k %s 0.0%d %s", holder, 10+m.r.IntN(80), []string{"OK", "DROP", "IGNORE", "OK", "OK"}[m.r.IntN(5)]))
	require.Equal(t, held, reply.([]any)[0].(int64) == 1)
}
