package backend

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"cellserver/envoy/count"
	"cellserver/internal/buildtest"
	"cellserver/internal/pausetest"
	"cellserver/internal/porttest"
	"cellserver/internal/processtest"

	"github.com/redis/rueidis"
	"github.com/stretchr/testify/require"
)

// program is the path of the server.
var program string

func TestMain(m *testing.M) {
	os.Exit(buildtest.Run(m, buildtest.Program{
		Package: buildtest.Server, Path: &program, Flags: []string{"-C", "../.."}, // another module
	}))
}

// nodeCommand is a server on a port.
func nodeCommand(t *testing.T, port int, more ...string) *exec.Cmd {
	return exec.Command(program, append([]string{
		"--port", strconv.Itoa(port), "--bind", "127.0.0.1", "--dir", t.TempDir(), "--save", "",
	}, more...)...)
}

// nodes are three nodes of a cluster, by their ports. A node in this process has no process of its own.
type nodes struct {
	t         *testing.T
	ports     []int
	processes map[int]*processtest.Process
}

// directives are those of all nodes.
func (n *nodes) directives() []string {
	all := []string{"--cluster-enabled", "yes", "--cluster-nodes"}
	for _, port := range n.ports {
		all = append(all, fmt.Sprint("127.0.0.1:", port))
	}
	return all
}

// addresses are those of the nodes, after a first word.
func (n *nodes) addresses(first string) string {
	list := first
	for _, port := range n.ports {
		list += fmt.Sprint(",127.0.0.1:", port)
	}
	return strings.TrimPrefix(list, ",")
}

// newNodes starts nodes. The first ones are left to the caller.
func newNodes(t *testing.T, own int) *nodes {
	n := &nodes{t: t, processes: map[int]*processtest.Process{}}
	for range 3 {
		n.ports = append(n.ports, porttest.Free(t))
	}
	for _, port := range n.ports[own:] {
		n.processes[port] = processtest.Start(t, nodeCommand(t, port, n.directives()...))
	}
	for port, p := range n.processes {
		p.Await(fmt.Sprint("127.0.0.1:", port))
	}
	return n
}

// leader returns the port of the node that leads.
func (n *nodes) leader() (port int) {
	n.t.Helper()
	require.Eventually(n.t, func() bool {
		for at := range n.processes {
			client, err := rueidis.NewClient(rueidis.ClientOption{
				InitAddress: []string{fmt.Sprint("127.0.0.1:", at)}, ForceSingleClient: true, DisableCache: true,
			})
			if err != nil {
				return false
			}
			defer client.Close()
			if address := leads(n.t, client); address != "" {
				_, text, _ := strings.Cut(address, ":")
				port, _ = strconv.Atoi(text)
				return port != 0
			}
		}
		return false
	}, processtest.Patience, 10*time.Millisecond)
	return port
}

// leads returns the address of the node that leads, as a node says, "" if it does not know.
func leads(t *testing.T, client rueidis.Client) string {
	slots, err := client.Do(t.Context(), client.B().ClusterSlots().Build()).ToArray()
	if err != nil || len(slots) == 0 {
		return ""
	}
	parts, err := slots[0].ToArray()
	require.NoError(t, err)
	node, err := parts[2].ToArray()
	require.NoError(t, err)
	host, err := node[0].ToString()
	require.NoError(t, err)
	port, err := node[1].AsInt64()
	require.NoError(t, err)
	return fmt.Sprint(host, ":", port)
}

// TestLeaderDies kills the leader while 64 callers count. Exactly the limit passes, what was confirmed
// stays, and somebody gets an answer again soon.
func TestLeaderDies(t *testing.T) {
	for name, open := range map[string]func(t *testing.T) (*nodes, count.Counter){
		"cluster": func(t *testing.T) (*nodes, count.Counter) {
			n := newNodes(t, 0)
			b, err := OverRESP(RESPOptions{Type: Cluster, URL: n.addresses("")})
			require.NoError(t, err)
			return n, b
		},
		"sentinel": func(t *testing.T) (*nodes, count.Counter) {
			n := newNodes(t, 0)
			b, err := OverRESP(RESPOptions{Type: Sentinel, URL: n.addresses("mymaster")})
			require.NoError(t, err)
			return n, b
		},
		"embedded": func(t *testing.T) (*nodes, count.Counter) {
			n := newNodes(t, 1)
			o := EmbeddedOptions{
				Dir: t.TempDir(), Log: slog.New(slog.DiscardHandler),
				Directives: append([]string{"--port", strconv.Itoa(n.ports[0]), "--bind", "127.0.0.1"}, n.directives()...),
			}
			for {
				b, err := Embedded(o)
				require.NoError(t, err)
				require.Eventually(t, func() bool { return b.Ready() == nil }, processtest.Patience, time.Millisecond)
				others := 0 // how often in a row another node led
				require.Eventually(t, func() bool {
					others++
					return n.leader() == n.ports[0] || others == 10
				}, processtest.Patience, 100*time.Millisecond)
				if n.leader() != n.ports[0] {
					return n, b
				}
				require.NoError(t, b.Close()) // it gives way to another node
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			n, b := open(t)
			await(t, b)
			leader := n.processes[n.leader()]
			require.NotNil(t, leader, "this process leads")
			const limit = 20_000
			story := count.Hit{Key: "a", Limit: limit, Period: 365 * 24 * time.Hour, Hits: 1}
			machine := pausetest.Start(t)
			var passed, confirmed, answered atomic.Int64
			silence := time.Duration(0) // the longest time without an answer
			begin := time.Now()
			ctx, stop := context.WithCancel(t.Context())
			var callers sync.WaitGroup
			for range 64 {
				callers.Go(func() {
					for ctx.Err() == nil {
						call, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
						from := time.Now()
						got, err := b.Count(call, count.Request{Domain: "shop", Hits: []count.Hit{story}})
						if took := time.Since(from); took > 6*time.Second+machine.Allows(0) {
							t.Errorf("a call outlived its deadline: %v", took)
						}
						cancel()
						if err != nil {
							time.Sleep(time.Millisecond)
							continue
						}
						answered.Store(int64(time.Since(begin)))
						confirmed.Add(1)
						if !got[0].Over {
							passed.Add(1)
						}
					}
				})
			}
			await := func(enough func() bool) {
				t.Helper()
				require.Eventually(t, func() bool {
					silence = max(silence, time.Since(begin)-time.Duration(answered.Load()))
					return enough()
				}, processtest.Patience, time.Millisecond)
			}
			await(func() bool { return confirmed.Load() > 2000 })
			silence = 0
			leader.Stop(syscall.SIGKILL)
			killed := int64(time.Since(begin))
			await(func() bool { return answered.Load() > killed && confirmed.Load() > limit+2000 })
			stop()
			callers.Wait()
			t.Logf("%v without an answer", silence.Round(time.Millisecond))
			require.Less(t, silence, 10*time.Second+machine.Allows(10*time.Second))
			require.LessOrEqual(t, passed.Load(), int64(limit))
			story.Hits = 0
			var got []count.Result
			require.Eventually(t, func() bool { // it changes nothing, so it may be asked again
				var err error
				got, err = b.Count(t.Context(), count.Request{Domain: "shop", Hits: []count.Hit{story}})
				return err == nil
			}, processtest.Patience, 10*time.Millisecond)
			require.GreaterOrEqual(t, got[0].Before, uint64(confirmed.Load()), "what was confirmed is lost")
		})
	}
}

// TestAddressesKeepTheirOrder: each attempt begins with any node, and errors name the nodes in the order of the URL.
func TestAddressesKeepTheirOrder(t *testing.T) {
	var nodes []string
	for range 8 {
		nodes = append(nodes, fmt.Sprint("127.0.0.1:", porttest.Free(t)))
	}
	b, err := OverRESP(RESPOptions{Type: Cluster, URL: strings.Join(nodes, ",")})
	require.NoError(t, err)
	require.NoError(t, b.(*overRESP).await(t.Context()))
	require.ErrorContains(t, b.Ready(), "no connection to "+strings.Join(nodes, ", ")+": ")
	require.NoError(t, b.Close())
}
