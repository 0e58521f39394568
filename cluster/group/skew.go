package group

import (
	"cmp"
	"slices"
	"time"

	"cellserver/internal/topology"
)

// Skew is how much later the clock of another node is than that of this node.
type Skew struct {
	ID string
	By time.Duration
}

// skewPatience is the time between two warnings about the clock of this node, or two tries to give way for
// it.
const skewPatience = 10 * time.Second

// CheckClocks compares the clock of this node with those of others, as they are now. The clock of this node
// is wrong if it differs by more than MaxSkew from most voters, all in one direction. Then the node warns,
// and a leader gives way to one of them. Call it about once a second, from one goroutine: it waits while the
// node gives way.
func (g *Group) CheckClocks(others []Skew) {
	by, better := wrongBy(g.View(), others, g.o.MaxSkew)
	now := g.o.Clock.Monotonic()
	if better == "" || g.skewSeen != 0 && now-g.skewSeen < int64(skewPatience) {
		return
	}
	g.skewSeen = now
	g.log.Warn("the clock of this node is wrong: set it by NTP", "milliseconds", -by.Milliseconds())
	if g.current.Load() == 0 {
		return
	}
	if err := g.GiveWay(better); err != nil {
		g.log.Warn("this node still leads although its clock is wrong, because no other node has taken over",
			"error", err)
	}
}

// LeaderStood notes that a node that leads has said what it has applied, in reply to a question at a
// monotonic time. Call it at least once in an AskInterval or a NodeTimeout, whichever is longer.
func (g *Group) LeaderStood(applied uint64, asked int64) {
	g.mu.Lock()
	if f := &g.fresh; f.asked == 0 {
		f.asked, f.stands = asked, applied
	}
	g.mu.Unlock()
	g.updateView()
}

// wrongBy reports by how much the clocks of most voters differ, all in one direction, if that is more than a
// limit. Later clocks are positive. better is the voter with the median of these clocks; "" if the clock is
// right, or if nobody knows.
func wrongBy(v *topology.View, others []Skew, limit time.Duration) (by time.Duration, better string) {
	if limit == 0 {
		return 0, ""
	}
	var later, earlier []Skew
	for _, s := range others {
		switch i := v.Find(s.ID); {
		case i < 0 || i == v.Self || !v.Nodes[i].Voter:
		case s.By > limit:
			later = append(later, s)
		case s.By < -limit:
			earlier = append(earlier, s)
		}
	}
	for _, side := range [][]Skew{later, earlier} {
		if len(side) > v.Voters()/2 {
			slices.SortFunc(side, func(a, b Skew) int { return cmp.Compare(a.By, b.By) })
			middle := side[len(side)/2]
			return middle.By, middle.ID
		}
	}
	return 0, ""
}
