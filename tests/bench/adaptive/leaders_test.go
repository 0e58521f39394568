package adaptive

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

// clusterLimit asks a cluster in virtual time, and does what the clients do. Without an answer, a call
// begins below a ceiling. The end of a call is sent again until somebody answers.
type clusterLimit struct {
	t       *testing.T
	cluster *clustertest.Cluster
	session *clustertest.Session // with the leader, nil for none
	begun   time.Time
	ends    []string       // commands that nobody has answered
	alone   map[int64]bool // calls under way that have begun without an answer
	unknown int            // how many calls had no answer
	last    int64          // the limit in the last reply
}

// mostAlone is the ceiling of all callers together: as for the large scenario, it is twice the workers.
const mostAlone = 48

func (l *clusterLimit) enter(_ int, id, now int64) bool {
	time.Sleep(time.Until(l.begun.Add(time.Duration(now))))
	replies := l.ask(append(l.ends, fmt.Sprint("CL.ENTER service 30 ", id, " START 3"))...)
	if replies == nil {
		l.unknown++
		if len(l.alone) == mostAlone {
			return false
		}
		l.alone[id] = true
		return true
	}
	l.ends = nil
	reply := replies[len(replies)-1].([]any)
	limit := reply[1].(int64)
	require.GreaterOrEqual(l.t, limit, l.last/2, "no window takes more than a half off")
	l.last = limit
	return reply[0].(int64) == 0
}

func (l *clusterLimit) leave(_ int, id, _, latency int64, dropped bool) {
	delete(l.alone, id)
	l.ends = append(l.ends, leaving("service", id, latency, dropped))
}

// ask sends commands to the leader. It returns nil if nobody answers.
func (l *clusterLimit) ask(commands ...string) []any {
	for _, m := range l.cluster.Machines {
		if l.session == nil && m.Leads() {
			l.session, _ = m.Connect()
		}
	}
	if l.session == nil {
		return nil
	}
	replies, err := l.session.Do(commands...)
	if err != nil {
		l.session = nil
		return nil
	}
	return replies
}

// fewer is halves with a quarter of the load and of the workers, for a third of the time.
func fewer() *scenario {
	s := halves()
	s.rate, s.workers, s.seconds = 960, 24, 60
	s.changes = []change{
		{20 * second, func(s *service, _ int64) { s.workers = 12 }},
		{40 * second, func(s *service, _ int64) { s.workers = 24 }},
	}
	return s
}

// killLeaders kills the leader every 5 seconds, and starts it again after a second.
func killLeaders(t *testing.T, c *clustertest.Cluster, end <-chan struct{}) (killed int) {
	for {
		select {
		case <-end:
			return killed
		case <-time.After(5 * time.Second):
		}
		m := c.Leader()
		require.NoError(t, m.Kill())
		killed++
		time.Sleep(time.Second)
		require.NoError(t, m.Start())
	}
}

// TestLeadersDie: a leader that dies every 5 seconds costs at most 3 % of the good replies, and the limit
// never begins anew. Without a second CL.LEAVE it costs more than a tenth.
func TestLeadersDie(t *testing.T) {
	var good [2]float64
	for i, dies := range []bool{false, true} {
		synctest.Test(t, func(t *testing.T) {
			c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
			defer c.Close()
			c.Leader()
			end, killed := make(chan struct{}), make(chan int, 1)
			if dies {
				go func() { killed <- killLeaders(t, c, end) }()
			} else {
				killed <- 0
			}
			l := &clusterLimit{t: t, cluster: c, begun: time.Now(), alone: map[int64]bool{}}
			all := run(fewer(), l, seeds[0])
			close(end)
			n := <-killed
			good[i] = goodput(all, 0, 60)
			t.Logf("%d leaders died: %.0f good replies a second; %d calls had no answer", n, good[i], l.unknown)
			require.Equal(t, dies, n > 8 && l.unknown > 1000)
		})
	}
	require.GreaterOrEqual(t, good[1], 0.97*good[0])
}
