package servertest

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"cellserver/internal/topology"
)

// Topology is a cluster that does what the test says. It implements [commands.Topology].
type Topology struct {
	Now    *topology.View
	Views  []*topology.View // what View returns before Now, one after the other
	Epochs []uint64         // what Epoch returns, one after the other; the last one stays
	Err    error            // the error of Meet, Forget and Failover
	Counts topology.Metrics
	Calls  []string // the calls of Meet, Forget, Failover and Publish
}

// NodeID returns the id of node i of a [View]: 40 times the letter a for node 0, b for node 1.
func NodeID(i int) string { return strings.Repeat(string(rune('a'+i)), 40) }

// View returns a cluster of n healthy nodes with one group, as node self sees it. Node i has the
// address 10.0.0.<i+1>:6379. A follower may show its keys at any time.
func View(n, self, leader int) *topology.View {
	v := &topology.View{
		Self: self, Fresh: math.MaxInt64,
		Groups: []topology.Group{{Last: 16383, Leader: leader, Term: 7, Applied: 42}},
	}
	for i := range n {
		v.Nodes = append(v.Nodes, topology.Node{
			ID: NodeID(i), Host: fmt.Sprintf("10.0.0.%d",
				i+1), Port: 6379, PeerPort: 16379, Voter: true, Healthy: true, Applied: 40,
		})
		if i != leader {
			v.Groups[0].Replicas = append(v.Groups[0].Replicas, i)
		}
	}
	return v
}

// NewMember starts a server that is node self of a cluster of three. It has the epoch 5 if it leads.
func NewMember(t testing.TB, self, leader int, directives ...string) (*Harness, *Topology) {
	cluster := &Topology{Now: View(3, self, leader), Epochs: []uint64{0}}
	if self == leader {
		cluster.Epochs[0] = 5
	}
	return NewAt(t, &Edge{Topology: cluster}, append([]string{"--cluster-enabled", "yes"}, directives...)...), cluster
}

// Epoch implements [commands.Topology].
func (t *Topology) Epoch() uint64 {
	epoch := t.Epochs[0]
	if len(t.Epochs) > 1 {
		t.Epochs = t.Epochs[1:]
	}
	return epoch
}

// View implements [commands.Topology].
func (t *Topology) View() (v *topology.View) {
	if len(t.Views) == 0 {
		return t.Now
	}
	v, t.Views = t.Views[0], t.Views[1:]
	return v
}

// Metrics implements [commands.Topology].
func (t *Topology) Metrics() topology.Metrics { return t.Counts }

// Publish implements [commands.Topology].
func (t *Topology) Publish(shard bool, channel, message []byte) {
	word := "publish"
	if shard {
		word = "spublish"
	}
	t.Calls = append(t.Calls, fmt.Sprintf("%s %s %s", word, channel, message))
}

// Meet implements [commands.Topology].
func (t *Topology) Meet(at topology.Address) error {
	t.Calls = append(t.Calls, fmt.Sprint("meet ", at))
	return t.Err
}

// Forget implements [commands.Topology].
func (t *Topology) Forget(id string) error {
	t.Calls = append(t.Calls, "forget "+id)
	return t.Err
}

// Failover implements [commands.Topology].
func (t *Topology) Failover() error {
	t.Calls = append(t.Calls, "failover")
	return t.Err
}
