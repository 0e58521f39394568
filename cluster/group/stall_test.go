package group_test

import (
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/cluster/group"

	"github.com/stretchr/testify/require"
)

// longestWait sends changes one after the other, always to a node that leads, and returns the longest time without a reply. It
// fails if a change with a reply is lost.
func longestWait(t *testing.T, c *clustertest.Cluster, lasts time.Duration) (longest time.Duration) {
	last, counted := time.Now(), int64(0)
	for end := time.Now().Add(lasts); time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
		s, err := c.Leader().Connect()
		if err != nil {
			continue
		}
		for err == nil {
			var replies []any
			if replies, err = s.Do("INCR key"); err != nil {
				break
			}
			n, ok := replies[0].(int64)
			if !ok {
				break
			}
			require.Greater(t, n, counted, "a change with a reply is lost")
			counted = n
			longest = max(longest, time.Since(last))
			last = time.Now()
			if last.After(end) {
				break
			}
			time.Sleep(5 * time.Millisecond)
		}
		s.Close()
	}
	return max(longest, time.Since(last))
}

// The disk of a leader hangs. The others do not wait for it, and a disk that hangs for a moment changes nothing.
func TestADiskThatHangs(t *testing.T) {
	for _, test := range []struct {
		stall, most time.Duration
		leads       bool // the leader, else a follower
		bait        bool
	}{
		{stall: 300 * time.Millisecond, most: 310 * time.Millisecond, leads: true},
		{stall: 3 * time.Second, most: 1500 * time.Millisecond, leads: true},
		{stall: 10 * time.Second, most: 1500 * time.Millisecond, leads: true},
		{stall: 10 * time.Second, most: 50 * time.Millisecond},
		{stall: 10 * time.Second, leads: true, bait: true},
	} {
		for _, nodes := range []int{3, 5} {
			for seed := range seedsEach {
				t.Run(fmt.Sprint(nodes, " nodes, ", test, " seed ", seed), func(t *testing.T) {
					t.Parallel()
					bubble(t, func(t *testing.T, _ func()) {
						o := clustertest.Options{Nodes: nodes, Seed: first(t) + seed, Now: time.Now, Files: true}
						if test.bait {
							o.Prepare = (*group.Group).TrustDisk
						}
						c := clustertest.New(t, o)
						defer c.Close()
						time.Sleep(5 * time.Second)
						m := c.Leader()
						if !test.leads {
							m = other(c, m)
						}
						go func() {
							time.Sleep(time.Second + time.Duration(seed)*31*time.Millisecond)
							m.HangDisk(true)
							time.Sleep(test.stall)
							m.HangDisk(false)
						}()
						longest := longestWait(t, c, test.stall+5*time.Second)
						t.Log("the longest wait is", longest)
						if test.bait {
							require.Greater(t, longest, test.stall*9/10, "nobody has found the fault")
							return
						}
						require.LessOrEqual(t, longest, test.most)
						c.RequireEqual()
						require.NoError(t, m.Failure())
					})
				})
			}
		}
	}
}

// If nobody can take over, the leader leads again when its disk answers.
func TestALeaderWhoseDiskHangsAloneLeadsAgain(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: first(t), Now: time.Now, Files: true})
		defer c.Close()
		time.Sleep(5 * time.Second)
		for _, m := range c.Machines {
			m.HangDisk(true)
		}
		go func() {
			s, err := c.Leader().Connect()
			require.NoError(t, err)
			_, err = s.Do("INCR key")
			require.ErrorIs(t, err, clustertest.ErrClosed, "nobody knows")
		}()
		time.Sleep(time.Minute)
		for _, m := range c.Machines {
			m.HangDisk(false)
		}
		time.Sleep(3 * time.Second)
		require.Contains(t, []any{int64(1), int64(2)}, do(t, c.Leader(), "INCR key"))
		c.RequireEqual()
	})
}

// A node starts, leads, and applies the entries of its log for longer than a node may be silent. Then it serves: one entry may
// take long, too, and nobody else can lead.
func TestANodeAloneAppliesItsLogForLong(t *testing.T) {
	for _, takes := range []time.Duration{100 * time.Millisecond, 3 * time.Second} {
		t.Run(takes.String(), func(t *testing.T) {
			bubble(t, func(t *testing.T, _ func()) {
				var wait atomic.Int64
				c := clustertest.New(t, clustertest.Options{Nodes: 1, Seed: first(t), Now: time.Now,
					Prepare: func(g *group.Group) { g.ApplyAfter(func() { time.Sleep(time.Duration(wait.Load())) }) }})
				defer c.Close()
				time.Sleep(5 * time.Second)
				for range 100 {
					do(t, c.Leader(), "INCR key")
				}
				require.NoError(t, c.Machines[0].Stop())
				wait.Store(int64(takes))
				require.NoError(t, c.Machines[0].Start())
				time.Sleep(110 * takes)
				wait.Store(0)
				time.Sleep(10 * time.Second)
				require.Equal(t, int64(101), do(t, c.Leader(), "INCR key"))
			})
		})
	}
}
