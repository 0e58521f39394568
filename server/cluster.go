package server

import (
	"fmt"

	"cellserver/commands"
	"cellserver/internal/topology"
	"cellserver/store"
)

// Deliver sends a message that another node published to the subscribers of this node.
func (s *Server) Deliver(shard bool, channel, message []byte) {
	kind := commands.Channel
	if shard {
		kind = commands.Shard
	}
	s.pubsub.Publish(nil, kind, channel, message)
}

// KeysReplaced follows a change of keys that no transaction has made. The server reads the stored rules
// again. The clients that track keys learn that all keys may have changed. The edge calls it after a load.
func (s *Server) KeysReplaced() {
	s.RulesReplaced()
	s.stats.Meters.Forget()
	s.tracking.FlushedNothing(nil)
}

// RulesReplaced reads the stored rules again, so that no client waits for it.
func (s *Server) RulesReplaced() {
	rules, tx := s.parts.Rules, s.parts.Store.NewTx()
	var fp store.Footprint
	rules.Lock(&fp)
	rules.Forget()
	tx.NoTouch, tx.KeepExpired = true, true
	tx.Begin(0, 0, &fp)
	defer tx.End()
	if hidden := rules.Load(tx).Hidden(); hidden != "" {
		s.parts.Log.Warn("rules of CL.RULE SET hide rules of the same names in the file: "+
			"CL.RULE DEL brings those of the file back", "hidden", hidden)
	}
}

// saveLedgers stores by which numbers the rules of the file count. Only a leader stores them.
func (s *Server) saveLedgers() {
	rules := s.parts.Rules
	late := func() bool { return !s.control.leads() || s.Condition() != Condition{} }
	if !rules.HasUnsavedLedgers() || late() {
		return
	}
	var fp store.Footprint
	rules.Lock(&fp)
	tx := s.parts.Store.NewTx()
	tx.Begin(s.parts.Clock.Now(), 0, &fp)
	defer tx.End()
	if !late() {
		rules.SaveLedgers(tx)
	}
}

// ViewChanged follows a change of the cluster. The edge calls it after each change, for one change at a
// time. Clients in Sentinel mode learn of a new leader by the message +switch-master. Clients that speak TLS
// get the port for TLS.
//
// If this node no longer leads, ViewChanged closes the connections of its clients, as a Sentinel
// does. A client that does not know clusters finds the new leader only when it connects again. The
// connections of subscribers, monitors and READONLY clients stay.
func (s *Server) ViewChanged(old, now *topology.View) {
	from, to := old.LeaderOf(0), now.LeaderOf(0)
	if from != to && to == now.Self {
		s.stats.Meters.Forget() // another leader may have changed the limits since
	}
	if from < 0 || to < 0 {
		return
	}
	a, b, name := &old.Nodes[from], &now.Nodes[to], s.Config().Cluster.SentinelMasterName
	plain := switched(name, a, b, topology.Door{Whole: true})
	encrypted := switched(name, a, b, topology.Door{Whole: true, TLS: true})
	s.pubsub.Tell([]byte("+switch-master"), func(to *commands.Conn) []byte {
		if to.Link.Peer.Encrypted() {
			return encrypted
		}
		return plain
	})
	if from == old.Self && to != now.Self {
		s.clients.Kill(nil, writesHere)
	}
}

// EpochChanged follows the beginning or the end of an epoch of this node. After the end another node may
// lead, and if this one leads again, its keys may have changed. So the connections of the clients that wait
// for keys end. Those of the clients that know no slots end, too, also if no leader is known yet. To their
// libraries an error of a replica would be an error of the command, and they would not ask who leads.
func (s *Server) EpochChanged(begun bool) {
	if !begun {
		s.blocked.EndWaits()
		s.clients.Kill(nil, func(i *commands.ClientInfo) bool { return i.Whole && writesHere(i) })
	}
}

// switched returns the message about another leader, or about another address of the leader; nil if neither
// has changed.
func switched(name string, a, b *topology.Node, door topology.Door) []byte {
	from, to := a.ClientPort(door), b.ClientPort(door)
	if a.ID == b.ID && a.Host == b.Host && from == to {
		return nil
	}
	return fmt.Appendf(nil, "%s %s %d %s %d", name, a.Host, from, b.Host, to)
}

// writesHere reports whether a client may believe that this node leads.
func writesHere(i *commands.ClientInfo) bool {
	return i.Kind == "normal" && !i.Modes.Monitoring && !i.Modes.ReadOnly
}
