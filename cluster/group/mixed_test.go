package group_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"cellserver/cluster/clustertest"
	"cellserver/resp/resptest"

	"github.com/stretchr/testify/require"
)

// mixed are commands that change keys of every type, and whole databases. K is a key of a slot, L another one of the same,
// N a small number and T a long text.
var mixed = strings.Split(strings.TrimSpace(`
SET K T
SET K T PX N00
SETRANGE K N0 T
APPEND K T
SET K N
INCRBYFLOAT K 0.5
INCR K
ZADD K N m:N N m:T
ZREM K m:N
ZPOPMIN K N
ZREMRANGEBYRANK K 0 N
ZRANGESTORE L K 0 -1
ZUNIONSTORE L 2 K L
HSET K m:N T
HINCRBY K m:N N
HDEL K m:N
SADD K m:N N
SREM K N
SPOP K N
LPUSH K T N
RPUSH K N m:N
LPOP K N
RPOP K
LSET K -1 T
LINSERT K BEFORE N m:N
LREM K -N N
LTRIM K N -2
LMOVE K L LEFT RIGHT
PEXPIRE K N00
PERSIST K
DEL K L
RENAME K L
COPY K L REPLACE
GETDEL K
GETEX K PX N00
MSET K T L N
CL.THROTTLE K N 10 1
CL.WINDOW K N 1000 1
CL.PACE K 1 N 5
CL.RULE SET both SCOPE a CL.WINDOW N00 1 AND SCOPE b CL.THROTTLE N00 1000 1 AND SCOPE b CL.LOG N0 1
CL.RULE OVERRIDE both a K CL.WINDOW N00 1
CL.RULE OVERRIDE both b L DEL
CL.CHECK both K L N
CL.RESERVE both K L N idN 1
CL.RESERVE both K L N idN 0.0N RELEASE
CL.RESERVE both L K N idN 0.1 RELEASE
CL.SETTLE both K L idN 1N
`), "\n")

// rarely are commands on whole databases.
var rarely = []string{"FLUSHALL", "FLUSHDB ASYNC"}

// randomMixed returns commands. Some of them are one transaction.
func randomMixed(r *rand.Rand) (commands []string) {
	slot := r.IntN(10)
	words := strings.NewReplacer("K", fmt.Sprintf("{k%d}a", slot), "L", fmt.Sprintf("{k%d}b", slot),
		"N", fmt.Sprint(1+r.IntN(9)), "T", strings.Repeat("t", 1+r.IntN(8000)))
	for range 1 + r.IntN(3) {
		command := mixed[r.IntN(len(mixed))]
		name, rest, _ := strings.Cut(command, " ")
		commands = append(commands, name+" "+words.Replace(rest))
	}
	if r.IntN(4) == 0 {
		commands = append(append([]string{"MULTI"}, commands...), "EXEC")
	}
	if r.IntN(100) == 0 {
		return rarely[r.IntN(len(rarely)):][:1]
	}
	return commands
}

// mixedClient sends commands until the world ends. Nobody checks its replies: the stores must be equal at the end.
func (w *world) mixedClient(id int, seed uint64) {
	r := rand.New(rand.NewPCG(seed, 200+uint64(id)))
	var s *clustertest.Session
	for p := (pace{w: w, r: r}); !w.stopped(); {
		p.await()
		if s == nil {
			s, _ = w.Machines[r.IntN(len(w.Machines))].Connect()
			continue
		}
		commands := randomMixed(r)
		p.left--
		w.places <- struct{}{}
		replies, err := s.Do(commands...)
		<-w.places
		for i, reply := range replies {
			name, _, _ := strings.Cut(commands[min(i, len(commands)-1)], " ")
			if _, failed := reply.(error); !failed {
				w.count(name)
			}
		}
		if errors.Is(err, clustertest.ErrClosed) || errors.Is(err, clustertest.ErrRefused) {
			s.Close()
			s, p.left = nil, max(p.left, 1)
		} else {
			require.NoError(w.t, err)
		}
	}
	if s != nil {
		s.Close()
	}
}

// TestStoresStayEqualUnderFaults: the nodes hold the same keys of all types. The test compares them after about every second
// fault, and at the end. A world has the faults of TestHistoriesUnderFaults, 3 nodes and 4 clients. In every second world the
// leader evicts keys.
func TestStoresStayEqualUnderFaults(t *testing.T) {
	progress := clustertest.Watchdog(t)
	for i := range seeds(t) {
		seed := first(t) + uint64(i)
		o := worldOptions{Options: clustertest.Options{Nodes: 3, Seed: seed, Window: 2, Files: seed%2 == 0}, clients: 4, lasts: lasting(t), mixed: true}
		if seed%2 == 1 {
			o.Directives = []string{"--maxmemory", "1mb", "--maxmemory-policy", "allkeys-random"}
		}
		t.Run(fmt.Sprint("SEED=", seed), func(t *testing.T) {
			t.Parallel()
			require.Empty(t, run(t, progress, o))
		})
	}
}

func TestWhatALeaderEvictsIsGoneEverywhere(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now,
			Directives: []string{"--maxmemory", "3mb", "--maxmemory-policy", "allkeys-random"}})
		defer c.Close()
		time.Sleep(5 * time.Second)
		s, err := c.Leader().Connect()
		require.NoError(t, err)
		for i := range 1000 {
			replies, err := s.Do(fmt.Sprint("SET key:", i, " ", strings.Repeat("x", 5000)))
			require.NoError(t, err)
			require.Equal(t, []any{resptest.Simple("OK")}, replies)
		}
		left := len(c.RequireEqual())
		require.Less(t, left, 700)
		require.Greater(t, left, 10)
	})
}

// TestExpiredKeysDoNotStayOnFollowers: the leader has swept an expired key, and a follower has not. Then a new key of the
// name begins empty there, too.
func TestExpiredKeysDoNotStayOnFollowers(t *testing.T) {
	bubble(t, func(t *testing.T, _ func()) {
		c := clustertest.New(t, clustertest.Options{Nodes: 3, Seed: 1, Now: time.Now})
		defer c.Close()
		time.Sleep(5 * time.Second)
		leader := c.Leader()
		lagging := other(c, leader)
		s, err := leader.Connect()
		require.NoError(t, err)
		_, err = s.Do("SET text 12345 PX 500", "ZADD set 1 old", "PEXPIRE set 500")
		require.NoError(t, err)
		time.Sleep(100 * time.Millisecond)
		c.Network.Isolate(lagging.Addr(), true) // its time stands still
		time.Sleep(5 * time.Second)
		_, err = s.Do("ZADD text 1 new", "ZADD set 1 new")
		require.NoError(t, err)
		c.Network.Heal()
		time.Sleep(5 * time.Second)
		require.Len(t, c.RequireEqual(), 2)
	})
}
