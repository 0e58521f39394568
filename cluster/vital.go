package cluster

import (
	"errors"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"cellserver/cluster/group"
	"cellserver/cluster/peer"
	"cellserver/internal/topology"
)

// vitals are what the other nodes say about themselves.
type vitals struct {
	mu    sync.Mutex // guards the fields below
	byID  map[string]vital
	base  *topology.View // of shown
	shown *topology.View // base with what the nodes say; nil if it must be made again
}

// vital is what one node said.
type vital struct {
	heard int64  // monotonic time of its last answer; 0 for none
	asked int64  // monotonic time since which it is asked
	skew  int64  // the smallest possible difference: its clock minus the clock of this node, in nanoseconds
	goal  uint64 // the last entry that this node had applied at the last question
	why   string // the error of the last question without an answer
	stuck bool   // since the question before it lacks entries, and no entry came
	peer.Hello
}

// note notes an answer. applied is the last entry that this node has applied.
func (v *vitals) note(id string, now int64, h peer.Hello, skew int64, applied uint64) {
	v.change(id, now, func(one *vital) {
		if h.Run != one.Run { // it has just started, or was silent
			one.goal, one.Applied = applied, h.Applied
		}
		one.stuck = h.Applied < one.goal && h.Applied <= one.Applied
		one.heard, one.skew, one.Hello, one.goal = now, skew, h, applied
	})
}

// miss notes that no answer came.
func (v *vitals) miss(id string, now int64, why error) {
	v.change(id, now, func(one *vital) { one.Run, one.goal, one.why = "", 0, why.Error() })
}

// change changes what one node said.
func (v *vitals) change(id string, now int64, how func(*vital)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	one, known := v.byID[id]
	if !known {
		one.asked = now
	}
	how(&one)
	v.byID[id], v.shown = one, nil
}

var errReplaced = errors.New("another node leads in its place")

// replace returns the last leader if another node leads now, and nil if not. Until the last leader answers
// again it counts as dead, because most leaders are replaced for their silence. So no client reads from it.
func (v *vitals) replace(old, now *topology.View, asked int64) (last *topology.Node) {
	was := old.LeaderOf(0)
	if was < 0 || was == old.Self {
		return nil
	}
	i := now.Find(old.Nodes[was].ID)
	if i < 0 || i == now.LeaderOf(0) {
		return nil
	}
	v.miss(now.Nodes[i].ID, asked, errReplaced)
	return &now.Nodes[i]
}

// forget forgets nodes that are not in the cluster any more.
func (v *vitals) forget(now *topology.View) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for id := range v.byID {
		if now.Find(id) < 0 {
			delete(v.byID, id)
		}
	}
}

// get returns what a node said.
func (v *vitals) get(id string) vital {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.byID[id]
}

// skews returns the differences of the clocks of all nodes that answer now.
func (v *vitals) skews() (all []group.Skew) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for id, one := range v.byID {
		if one.Run != "" {
			all = append(all, group.Skew{ID: id, By: time.Duration(one.skew)})
		}
	}
	return all
}

// shortest returns the shortest cluster-node-timeout of the other nodes; 0 if none is known.
func (v *vitals) shortest() (shortest time.Duration) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, one := range v.byID {
		own := time.Duration(one.Timeout) * time.Millisecond
		if own > 0 && (shortest == 0 || own < shortest) {
			shortest = own
		}
	}
	return shortest
}

// answers reports whether a node has answered the last question. A node that nobody has asked yet counts as
// healthy.
func (v *vital) answers() bool { return v.asked == 0 || v.Run != "" }

// overlay adds what the nodes say to a view.
func (v *vitals) overlay(base *topology.View) *topology.View {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.base == base && v.shown != nil {
		return v.shown
	}
	shown := *base
	shown.Nodes = slices.Clone(base.Nodes)
	for i := range shown.Nodes {
		if k := &shown.Nodes[i]; i != shown.Self {
			one := v.byID[k.ID]
			k.Healthy, k.Applied, k.Unheard = k.Healthy && one.answers(), one.Applied, one.heard == 0
			k.TLSPort, k.Sentinel = one.TLSPort, one.Sentinel
		}
	}
	v.base, v.shown = base, &shown
	return v.shown
}

// announced returns the node as it announces itself.
func (v *vital) announced() (k topology.Node, ok bool) {
	host, port, err := net.SplitHostPort(v.Client)
	_, peerPort, wrong := net.SplitHostPort(v.Peer)
	if v.Run == "" || err != nil || wrong != nil {
		return k, false
	}
	k = topology.Node{ID: v.ID, Host: host, Zone: v.Zone, Features: v.Feature}
	k.Port, err = strconv.Atoi(port)
	k.PeerPort, wrong = strconv.Atoi(peerPort)
	return k, err == nil && wrong == nil
}

// skew returns by how much the clock of another node differs at least. The node told its time at some moment
// of a call, and call is how long the call took. difference is the told time minus the time at the beginning
// of the call.
func skew(difference, call int64) int64 {
	switch {
	case difference < 0:
		return difference
	case difference > call:
		return difference - call
	}
	return 0
}
