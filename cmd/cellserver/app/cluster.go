package app

import (
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"cellserver/cluster"
	"cellserver/cluster/group"
	"cellserver/commands"
	"cellserver/internal/config"
	"cellserver/internal/topology"
	"cellserver/persistence"
	"cellserver/persistence/fs"
	"cellserver/resp/transport"
	"cellserver/server"
)

// newMember makes the member of a cluster. It is nil if the server is alone.
func (a *App) newMember(cfg *config.Config, run string) (*cluster.Member, error) {
	if len(cfg.Cluster.Nodes) == 0 {
		return nil, nil
	}
	list, err := topology.ParseAddresses(cfg.Cluster.Nodes)
	if err != nil {
		return nil, err
	}
	c := &cfg.Cluster
	o := cluster.Options{
		List: list, Announce: topology.Address{Host: c.AnnouncedHost(), Port: cfg.AnnouncedPort(),
			PeerPort: c.AnnounceBusPort},
		TLSPort:  cfg.AnnouncedTLSPort(),
		Fallback: ownAddress(cfg, a.certificates.Peers(cfg).Proves()),
		Zone:     c.Zone, Run: run, Release: commands.Version,
		Disk: cluster.DiskOptions{
			FS: fs.OS{}, Dir: filepath.Join(cfg.Dir, persistence.NodeDir), BootID: bootID(),
			Durable: c.Durability == config.DurabilityFsync,
		},
		Store: a.store, Wall: a.clock.Machine, Log: a.log.Logger,
		Clock:    groupClock{a.clock, func() int64 { return stepLimit(a.server.Config()) }},
		Security: a.certificates.Peers(cfg),
		Limits:   cluster.Limits{Message: int(cfg.ClientQueryBufferLimit), Forwards: cfg.MaxClients},
		Timing: group.Timing{
			NodeTimeout: time.Duration(c.NodeTimeout) * time.Millisecond, Window: c.Window, MaxSkew: time.Duration(c.MaxClockSkew) * time.Millisecond,
		},
		Growth: func() (percent, least int64) {
			cfg := a.server.Config()
			return int64(cfg.AutoAOFRewritePercent), cfg.AutoAOFRewriteMinSize
		},
		Edge: cluster.Edge{
			Deliver: func(shard bool, channel, message []byte) { a.server.Deliver(shard, channel, message) },
			Scripts: a.scripts.LoadedAfter, KeepScript: a.scripts.Keep,
			Changed: a.clusterChanged, Replaced: func() { a.server.KeysReplaced() },
			Own: a.following.Applied, Epoch: a.epochChanged, StopScripts: func(before int64) { a.server.StopScripts(before) },
			EndScripts: func(after time.Duration) (done func()) { return a.server.EndScripts(after) },
			Failed:     a.clusterFailed,
		},
	}
	if c.Reads == config.ReadsQuorum {
		o.Reads = group.Quorum
	}
	if err := mayReach(o.Security, cfg.Bind, list); err != nil {
		return nil, err
	}
	return cluster.New(o)
}

// joinCluster connects the server with the member, and returns the barrier that holds replies back.
func (a *App) joinCluster(o *server.Options) transport.Barrier {
	a.store.Observe(a.member)
	a.store.CountExternal(a.member.Memory)
	o.Clock, o.Topology, o.Positions = clusterClock{a.clock, a.member}, a.member, a.member
	o.Scripts, a.scripts.Loaded = &a.scripts, a.member.NewScripts
	o.Persistence = clusterDisk{a.disk.Manager, a.member}
	return a.member
}

// newExpiry makes the job that removes expired keys. In a cluster each node removes them by itself, at the
// time of the log.
func (a *App) newExpiry() expiry {
	e := expiry{clock: a.clock, server: a.server, store: a.store, now: a.clock.Now}
	if a.member != nil {
		e.now, e.cursor.Applied = a.member.Horizon, true
	}
	return e
}

// giveWay lets another node lead before this one stops.
func (a *App) giveWay() {
	if a.member != nil {
		a.member.GiveWay()
	}
}

// stopMember ends the part of this node in the cluster, if it has one.
func (a *App) stopMember() error {
	if a.member == nil {
		return nil
	}
	return a.member.Stop()
}

// ownAddress returns the address of a node that no address of cluster-nodes reaches. It has no host if the
// node listens on every address, or on several.
func ownAddress(cfg *config.Config, proves bool) topology.Address {
	peerPort, port := cfg.PeerPort()
	address := topology.Address{Port: port, PeerPort: peerPort}
	switch {
	case !proves:
		address.Host = "127.0.0.1" // without a proof the port for nodes listens on loopback addresses only
	case len(cfg.Bind) == 1 && config.LoopbackOf(strings.TrimPrefix(cfg.Bind[0], "-")) == "":
		address.Host = strings.TrimPrefix(cfg.Bind[0], "-")
	}
	return address
}

// clusterChanged follows a change of the cluster.
func (a *App) clusterChanged(old, now *topology.View) {
	a.logChange(old, now)
	a.server.ViewChanged(old, now)
}

// epochChanged follows the beginning or the end of an epoch of this node.
func (a *App) epochChanged(begun bool) {
	a.server.EpochChanged(begun)
	a.following.WakeUp()
}

// logChange logs who leads.
func (a *App) logChange(old, now *topology.View) {
	from, to := old.LeaderOf(0), now.LeaderOf(0)
	switch {
	case to < 0 || from >= 0 && sameNode(&old.Nodes[from], &now.Nodes[to]) && old.State == now.State:
	case now.State == topology.OK && now.Nodes[to].Port == 0: // its address for clients comes soon
	case now.State == topology.Down:
		a.log.Warn("the cluster has no leader: clients wait until the nodes have elected one")
	case now.State == topology.OK && to != now.Self:
		leader := &now.Nodes[to]
		a.log.Info("this node follows the leader", "leader", fmt.Sprintf("%s:%d",
			leader.Host, leader.Port), "id", leader.ID)
	}
}

// sameNode reports whether two nodes are the same one, at an address for clients that is known or unknown in
// both.
func sameNode(a, b *topology.Node) bool { return a.ID == b.ID && (a.Port == 0) == (b.Port == 0) }

// clusterFailed follows the end of this node's part in the cluster. Without a reason the node takes part
// again.
func (a *App) clusterFailed(reason error) {
	if reason == nil {
		a.disk.recover()
		return
	}
	a.disk.fail(server.Condition{LogFailed: reason.Error(), LogStrict: true, Outside: true})
}
