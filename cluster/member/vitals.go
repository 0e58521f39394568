package member

import (
	"context"
	"net"
	"slices"
	"strconv"
	"sync"
	"time"

	"cellserver/cluster/peer"
	"cellserver/cluster/roster"
	"cellserver/internal/topology"
)

// vitals are what the other nodes say about themselves.
type vitals struct {
	mu    sync.Mutex // guards the fields below
	of    map[string]vital
	base  *topology.View // of shown
	shown *topology.View // base with what the nodes say; nil if it must be made again
}

// vital is what one node said.
type vital struct {
	heard int64 // monotonic time of its last answer; 0 for none
	asked int64 // monotonic time since which it is asked
	skew  int64 // its clock, minus the clock of this node, in nanoseconds
	peer.Hello
}

// askInterval is the time between two questions to a node.
const askInterval = time.Second

// ask asks all other nodes again and again, until the member stops.
func (m *Member) ask() {
	for m.ctx.Err() == nil {
		v := m.node.Load().View()
		var asking sync.WaitGroup
		for i := range v.Nodes {
			if i != v.Self {
				asking.Go(func() { m.askVital(v.Nodes[i]) })
			}
		}
		asking.Wait()
		m.vitals.forget(v)
		m.warnOfClocks(v)
		m.announce(v)
		m.pause(askInterval)
	}
}

// askVital asks one node who it is. Its clock is compared with the middle of the call.
func (m *Member) askVital(k topology.Node) {
	ctx, stop := context.WithTimeout(m.ctx, max(m.o.NodeTimeout, askInterval))
	defer stop()
	begun, before := m.o.Clock.Monotonic(), m.o.Clock.Now()
	h, err := m.dialer.Hello(ctx, string(roster.Address(k)), m.hello())
	now := m.o.Clock.Monotonic()
	if err != nil || h.ID != k.ID {
		m.vitals.note(k.ID, now, nil, 0)
		return
	}
	m.vitals.note(k.ID, now, &h, h.Time-before-(now-begun)/2)
}

// note notes an answer, or that there was none.
func (v *vitals) note(id string, now int64, h *peer.Hello, skew int64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.of == nil {
		v.of = map[string]vital{}
	}
	of, known := v.of[id]
	if !known {
		of.asked = now
	}
	if h != nil {
		of.heard, of.skew, of.Hello = now, skew, *h
	}
	v.of[id], v.shown = of, nil
	if h == nil {
		of.Hello.Run = "" // it does not answer now
		v.of[id] = of
	}
}

// forget forgets nodes that are not in the cluster any more.
func (v *vitals) forget(now *topology.View) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for id := range v.of {
		if now.Find(id) < 0 {
			delete(v.of, id)
		}
	}
}

// get returns what a node said.
func (v *vitals) get(id string) vital {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.of[id]
}

// answers reports whether a node has answered the last question. A node that nobody has asked yet counts as healthy.
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
			of := v.of[k.ID]
			k.Healthy, k.Applied = of.answers(), of.Applied
		}
	}
	v.base, v.shown = base, &shown
	return v.shown
}

// announce tells all nodes the addresses that the nodes announce now, if this node leads.
func (m *Member) announce(v *topology.View) {
	n := m.node.Load()
	for i := range v.Nodes {
		of := m.vitals.get(v.Nodes[i].ID)
		now, ok := of.announced()
		if !ok || n.Epoch() == 0 || n.Knows(now) {
			continue
		}
		if err := n.Announce(now); err != nil {
			m.log.Warn("the address of a node could not be announced: it is tried again", "node", of.Client, "reason", err)
		}
	}
}

// announced returns the node as it announces itself.
func (v *vital) announced() (k topology.Node, ok bool) {
	host, port, err := net.SplitHostPort(v.Client)
	_, peerPort, wrong := net.SplitHostPort(v.Peer)
	if v.Run == "" || err != nil || wrong != nil {
		return k, false
	}
	k = topology.Node{ID: v.ID, Host: host, Zone: v.Zone}
	k.Port, err = strconv.Atoi(port)
	k.PeerPort, wrong = strconv.Atoi(peerPort)
	return k, err == nil && wrong == nil
}

// warnOfClocks logs that the clock of a node differs too much from that of this one.
func (m *Member) warnOfClocks(v *topology.View) {
	if m.o.MaxSkew == 0 {
		return
	}
	for i := range v.Nodes {
		of := m.vitals.get(v.Nodes[i].ID)
		if skew := time.Duration(of.skew); of.Run != "" && max(skew, -skew) > m.o.MaxSkew && m.place.mayWarn(m.o.Clock.Monotonic()) {
			m.log.Warn("the clocks of two nodes differ too much: set the clocks by NTP", "node", of.Client, "milliseconds", skew.Milliseconds())
		}
	}
}
