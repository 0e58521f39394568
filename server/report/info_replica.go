package report

import (
	"fmt"
	"maps"
	"net"
	"slices"
	"strconv"
	"strings"

	"cellserver/commands"
	"cellserver/replica"
)

// follows returns what the server does as a replica of another one.
func (r *Report) follows() (s replica.State, ok bool) {
	if of := r.Control.Replication(); of != nil {
		return of.State()
	}
	return s, false
}

// replicaFields shows a server that follows another one, as a replica of Redis does.
func (r *Report) replicaFields(t *text, s *replica.State) {
	now, link, lastIO := r.Clock.Monotonic(), "down", int64(-1)
	copying := s.Phase == replica.Copying
	if s.Phase == replica.Connected {
		link, lastIO = "up", (now-s.LastIO)/1e9
	}
	t.add("role", "slave")
	t.add("master_host", s.Host)
	t.add("master_port", s.Port)
	t.add("master_link_status", link)
	t.add("master_last_io_seconds_ago", lastIO)
	t.add("master_sync_in_progress", commands.Bit(copying))
	t.add("slave_read_repl_offset", s.Read)
	t.add("slave_repl_offset", s.Position.Offset)
	if copying {
		t.add("master_sync_total_bytes", s.Copy.Bytes)
		t.add("master_sync_read_bytes", s.Copy.Read)
		t.add("master_sync_left_bytes", max(0, s.Copy.Bytes-s.Copy.Read))
		t.add("master_sync_perc", fmt.Sprintf("%.2f", s.Copy.Percent()))
		t.add("master_sync_last_io_seconds_ago", (now-s.LastIO)/1e9)
		t.add("master_sync_keys", s.Copy.Keys)
		t.add("master_sync_total_keys", s.Copy.Of)
	}
	if link == "down" {
		t.add("master_link_down_since_seconds", (now-s.DownFrom)/1e9)
		t.add("master_link_error", fmt.Sprintf("%q", s.Failed))
	}
	t.add("master_link_stopped", commands.Bit(s.Stopped))
	t.add("master_full_copies", s.Copies)
	t.add("master_left_out", leftOut(s))
	t.add("slave_priority", 100)
	t.add("slave_read_only", 1)
	t.add("replica_announced", 1)
	t.zeros("connected_slaves")
}

// clusterFollows shows on a node that does not lead whom its cluster follows, as the leader has said last.
func clusterFollows(t *text, s *replica.State) {
	t.add("cluster_follows", masterAddress(s))
	t.add("cluster_follows_offset", s.Shown())
	t.add("master_link_stopped", commands.Bit(s.Stopped))
	t.add("master_link_error", fmt.Sprintf("%q", s.Failed))
	t.add("master_left_out", leftOut(s))
}

func masterAddress(s *replica.State) string { return net.JoinHostPort(s.Host, strconv.Itoa(s.Port)) }

// leftOut lists what the server does not keep: a name in quotes and its number, for each kind.
func leftOut(s *replica.State) string {
	var all []string
	for _, what := range slices.Sorted(maps.Keys(s.LeftOut)) {
		all = append(all, fmt.Sprintf("%q=%d", what, s.LeftOut[what]))
	}
	return strings.Join(all, ",")
}

// hasLink reports whether the link is a link of this server. In a cluster it is one of the leader.
func (r *Report) hasLink() bool {
	cluster := r.Control.Topology()
	return cluster == nil || cluster.Epoch() != 0
}

// link returns in one word how the link is.
func (r *Report) link(s *replica.State) string {
	switch {
	case s.Stopped:
		return "stopped"
	case !r.hasLink():
		return "elsewhere"
	case s.Phase == replica.Connected:
		return "up"
	case s.Phase == replica.Copying:
		return "copying"
	}
	return "down"
}

// metricsMaster shows the link to the server that this one follows, as INFO replication does. A server that
// follows nobody does not have these metrics.
func (r *Report) metricsMaster(x *exposition) {
	s, follows := r.follows()
	if !follows {
		return
	}
	left := int64(0)
	for _, n := range s.LeftOut {
		left += n
	}
	x.one(x.gauge, "master_link_stopped",
		float64(commands.Bit(s.Stopped)), "1 if the link to the master has stopped: INFO says why; else 0.")
	x.one(x.gauge, "master_left_out",
		float64(left), "Keys and commands of the master that are not kept here: INFO names their kinds.")
	if !r.hasLink() {
		return
	}
	sends := !s.Stopped && (s.Phase == replica.Connected || s.Phase == replica.Copying)
	x.one(x.gauge, "master_link_up",
		float64(commands.Bit(sends)), "1 while the master sends a copy or its commands; else 0.")
	x.one(x.counter, "master_full_copies_total", float64(s.Copies), "Full copies that the master has begun.")
	if s.LastIO > 0 {
		x.one(x.gauge, "master_last_io_seconds",
			inSeconds(r.Clock.Monotonic()-s.LastIO), "Seconds since the last byte of the master.")
	}
}

// masterNow returns nil if the server follows nobody.
func (r *Report) masterNow() *masterNow {
	s, follows := r.follows()
	if !follows {
		return nil
	}
	return &masterNow{masterAddress(&s), r.link(&s), s.Copies, leftOut(&s)}
}
