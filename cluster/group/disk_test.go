package group_test

import (
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"cellserver/cluster/clustertest"

	"github.com/stretchr/testify/require"
)

func TestAFullDiskEndsTheNode(t *testing.T) {
	for name, leads := range map[string]bool{"of the leader": true, "of a follower": false} {
		t.Run(name, func(t *testing.T) {
			bubble(t, func(t *testing.T, _ func()) {
				c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now, Files: true})
				defer c.Close()
				time.Sleep(5 * time.Second)
				victim := c.Leader()
				if !leads {
					victim = other(c, victim)
				}
				require.Equal(t, int64(1), do(t, c.Leader(), "INCR key"))
				victim.FillDisk(true)
				s, err := c.Leader().Connect()
				require.NoError(t, err)
				_, err = s.Do("INCR key")
				if leads {
					require.ErrorIs(t, err, clustertest.ErrClosed, "nobody knows")
				} else {
					require.NoError(t, err)
				}
				time.Sleep(5 * time.Second)
				require.ErrorContains(t, victim.Failure(), "cannot be written")
				require.NotSame(t, victim, c.Leader())
				was := do(t, c.Leader(), "GET key")
				require.Contains(t, []any{"1", "2"}, was)

				require.NoError(t, victim.Kill())
				victim.FillDisk(false)
				require.NoError(t, victim.Restart())
				require.Len(t, c.RequireEqual(), 1)
				require.Equal(t, was, do(t, c.Leader(), "GET key"))
			})
		})
	}
}

// other returns a running machine that is not m.
func other(c *clustertest.Cluster, m *clustertest.Machine) *clustertest.Machine {
	for _, o := range c.Machines {
		if o != m && o.Group() != nil {
			return o
		}
	}
	return nil
}

func TestPowerCutsOfAllNodesLoseNothingConfirmed(t *testing.T) {
	bubble(t, func(t *testing.T, progress func()) {
		r := rand.New(rand.NewPCG(first(t), 3))
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: first(t), Now: time.Now, Files: true})
		defer c.Close()
		var confirmed, sent int64
		for range powerCuts {
			time.Sleep(2 * time.Second)
			leader := c.Leader()
			for range 20 {
				sent++
				confirmed = max(confirmed, do(t, leader, "INCR key").(int64))
			}
			if r.IntN(2) == 0 {
				require.NoError(t, leader.Group().TakeSnapshot())
			}
			s, err := leader.Connect() // its reply never comes
			require.NoError(t, err)
			sent++
			lost := make(chan error)
			big := strings.Repeat("x", r.IntN(100_000))
			go func() {
				_, err := s.Do("INCR key", "SET big "+big)
				lost <- err
			}()
			time.Sleep(time.Duration(r.IntN(int(time.Millisecond))))
			for _, m := range c.Machines {
				require.NoError(t, m.PowerCut(r))
			}
			<-lost
			for _, m := range c.Machines {
				require.NoError(t, m.Restart())
			}
			progress()
			c.RequireEqual()
			got := do(t, c.Leader(), "INCRBY key 0").(int64)
			require.GreaterOrEqual(t, got, confirmed)
			require.LessOrEqual(t, got, sent)
		}
	})
}
