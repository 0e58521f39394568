package follow

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"cellserver/commands"
	_ "cellserver/commands/all"
	"cellserver/resp/resptest"
	"cellserver/server/servertest"
	"cellserver/store"

	"github.com/stretchr/testify/require"
)

// member is a server of a cluster that leads as long as a test says.
type member struct {
	servertest.Topology
	*servertest.Harness
	Following
	epoch atomic.Uint64
	looks atomic.Int64 // how often tend has looked
	waits chan bool    // the results of Wait; nil if everything is safe at once
	dial  func() (net.Conn, error)
	dials atomic.Int64
}

func (m *member) Epoch() uint64 {
	m.looks.Add(1)
	return m.epoch.Load()
}

func (m *member) Now() int64 { return m.Clock.Now() }

func (m *member) Wait(uint64) bool { return m.waits == nil || <-m.waits }

func newMember(t *testing.T) *member {
	m := &member{dial: func() (net.Conn, error) { return nil, errors.New("refused") }}
	m.Topology.Now = servertest.View(3, 0, 0)
	m.epoch.Store(5)
	edge := &servertest.Edge{Topology: clusterOf{&m.Topology, m}, Follows: &m.Following}
	m.Harness = servertest.NewAt(t, edge, "--cluster-enabled", "yes")
	m.Init(Options{
		Store: m.Store, Server: m.Server, Clock: m.Clock, Log: slog.New(slog.DiscardHandler), Cluster: m,
		Dial: func(context.Context, string) (net.Conn, error) {
			m.dials.Add(1)
			return m.dial()
		},
	})
	return m
}

// clusterOf is the topology of a member, with its epoch.
type clusterOf struct {
	*servertest.Topology
	of *member
}

func (c clusterOf) Epoch() uint64 { return c.of.epoch.Load() }

// says returns what the key says.
func (m *member) says() kept { return m.read(nil) }

// takenBack makes the key what it was before changes that no majority has.
func (m *member) takenBack(k kept) {
	tx := m.Store.NewTx()
	tx.KeepExpired = true
	tx.BeginKey(0, store.Own, []byte(followingKey))
	k.write(tx)
	tx.End()
	m.Applied()
}

const readOnly = commands.Error("READONLY You can't write against a read only replica.")

// firstIsSafe makes commands of several administrators wait for a majority, until a majority has the first one. The server
// follows meanwhile.
func (m *member) firstIsSafe(t *testing.T, commands ...string) {
	t.Helper()
	m.waits = make(chan bool)
	for _, command := range commands {
		admin := m.NewClient(t)
		go admin.Do(command)
		synctest.Wait()
	}
	m.waits <- true // a majority has the first command
	synctest.Wait()
	require.True(t, m.Store.KeepsExpired())
	m.Want("SET a 1", readOnly)
}

// TestTwoAdministrators: while REPLICAOF NO ONE waits for a majority, the end of another REPLICAOF does not make
// the server take writes or remove expired keys: if the epoch ends, the server has followed all the time.
func TestTwoAdministrators(t *testing.T) {
	for _, lost := range []bool{true, false} {
		t.Run(fmt.Sprint("lost ", lost), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				m := newMember(t)
				m.Want("REPLICAOF 10.0.0.1 6379", servertest.OK)
				require.True(t, m.Store.KeepsExpired())

				m.firstIsSafe(t, "REPLICAOF 10.0.0.2 6379", "REPLICAOF NO ONE")

				m.waits <- !lost
				synctest.Wait()
				if lost {
					m.epoch.Store(0)
					m.waits <- false
					m.takenBack(kept{Word: follows, Host: "10.0.0.2", Port: 6379})
					m.epoch.Store(6)
					m.Want("SET a 1", readOnly)
				} else {
					m.Want("SET a 1", servertest.OK)
					m.waits <- true
				}
				synctest.Wait()
				require.Equal(t, lost, m.Store.KeepsExpired())
			})
		})
	}
}

// TestThreeAdministrators: the end of one REPLICAOF NO ONE does not obey another one, which waits for a majority
// with a REPLICAOF before it.
func TestThreeAdministrators(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMember(t)
		m.Want("REPLICAOF 10.0.0.1 6379", servertest.OK)
		m.firstIsSafe(t, "REPLICAOF NO ONE", "REPLICAOF 10.0.0.2 6379", "REPLICAOF NO ONE")
		for range 4 { // the first two wait again
			m.waits <- true
			synctest.Wait()
		}
		require.False(t, m.Store.KeepsExpired())
		m.Want("SET a 1", servertest.OK)
	})
}

// TestAMemberSleeps: a member that follows nobody does nothing until an epoch begins or ends, or the key changes.
// It follows in each epoch, and notes why the link stops.
func TestAMemberSleeps(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMember(t)
		m.epoch.Store(0)
		m.Start()
		defer func() {
			m.Stop()
			synctest.Wait()
		}()
		sleeps := func() {
			t.Helper()
			synctest.Wait()
			looked := m.looks.Load()
			time.Sleep(time.Hour)
			require.Equal(t, looked, m.looks.Load())
		}
		sleeps()
		m.epoch.Store(5)
		m.WakeUp()
		sleeps()
		require.Zero(t, m.dials.Load())

		m.Want("REPLICAOF 10.0.0.1 6379", servertest.OK)
		synctest.Wait()
		require.NotNil(t, m.link.Load())
		m.epoch.Store(0)
		m.WakeUp()
		synctest.Wait()
		require.Nil(t, m.link.Load())
		dials := m.dials.Load()
		sleeps()
		require.Equal(t, dials, m.dials.Load())

		m.dial = masterThatSends(func(to io.Writer) {
			fmt.Fprint(to, string(resptest.Command("SET", "a", 1)), string(resptest.Command("SETBIT", "a", 1, 1)))
		})
		m.epoch.Store(6)
		m.WakeUp()
		time.Sleep(time.Second)
		synctest.Wait()
		require.Contains(t, m.says().Stopped, "SETBIT")
		require.Equal(t, "1", m.Do("GET a"))
		sleeps()
		m.Want("REPLICAOF NO ONE", servertest.OK)
		synctest.Wait()
		require.Nil(t, m.link.Load())
		sleeps()
	})
}

// TestTheRoleAfterReplicaOf: ROLE says what REPLICAOF has changed, also while the link before it ends.
func TestTheRoleAfterReplicaOf(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMember(t)
		m.Start()
		m.Want("REPLICAOF 10.0.0.1 6379", servertest.OK)
		synctest.Wait()
		require.NotNil(t, m.link.Load())
		before := m.said.Swap(nil) // ROLE has begun before the first REPLICAOF, and sees its link
		first := m.Do("ROLE").([]any)
		m.said.Store(before)
		m.mu.Lock() // the link does not end yet
		m.Do("REPLICAOF 10.0.0.2 6380")
		next := m.Do("ROLE").([]any)
		m.Do("REPLICAOF NO ONE")
		alone := m.Do("ROLE").([]any)
		m.mu.Unlock()
		m.Stop()
		synctest.Wait()
		require.Equal(t, "master", first[0])
		require.Equal(t, []any{"slave", "10.0.0.2", int64(6380)}, next[:3])
		require.Equal(t, "master", alone[0])
	})
}

// TestADeposedLeaderRunsNothing: a node that leads no more, and does not know it yet, runs no command of the master and
// confirms none, while the next leader follows the same master.
func TestADeposedLeaderRunsNothing(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMember(t)
		sends := make(chan string)
		m.dial = masterThatSends(func(to io.Writer) {
			for text := range sends {
				fmt.Fprint(to, text)
			}
		})
		m.Start()
		m.Want("REPLICAOF 10.0.0.1 6379", servertest.OK)
		sends <- string(resptest.Command("SET", "a", 1))
		synctest.Wait()
		require.Equal(t, "1", m.Do("GET a"))
		link, before := m.link.Load(), m.says()
		m.epoch.Store(0) // the end of the epoch is not told yet
		sends <- string(resptest.Command("SET", "a", 2))
		synctest.Wait()
		require.Equal(t, before, m.says())
		require.Equal(t, before.at.Offset, link.State().Position.Offset)
		m.WakeUp()
		synctest.Wait()
		require.Nil(t, m.link.Load())
		m.epoch.Store(6)
		require.Equal(t, "1", m.Do("GET a"))
		close(sends)
		m.Stop()
		synctest.Wait()
	})
}

// masterThatSends returns what opens a link to a master without keys.
func masterThatSends(do func(to io.Writer)) func() (net.Conn, error) {
	return func() (net.Conn, error) {
		here, there := net.Pipe()
		go answer(there, do)
		return here, nil
	}
}

// answer answers a link, and sends commands after the full copy.
func answer(link net.Conn, do func(to io.Writer)) {
	in := bufio.NewReader(link)
	for {
		line, err := in.ReadString('\n')
		switch {
		case err != nil:
			return
		case strings.HasPrefix(line, "PSYNC"):
			go io.Copy(io.Discard, in) //nolint:errcheck // the link closes it
			fmt.Fprintf(link, "+FULLRESYNC %040d 0\r\n$18\r\nREDIS0009\xff%s", 1, make([]byte, 8))
			do(link)
			return
		case strings.HasPrefix(line, "PING") || strings.HasPrefix(line, "REPLCONF"):
			go fmt.Fprint(link, "+OK\r\n")
		case strings.HasPrefix(line, "INFO") || strings.HasPrefix(line, "TIME"):
			go fmt.Fprint(link, "-ERR no\r\n")
		}
	}
}
