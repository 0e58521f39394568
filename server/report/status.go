package report

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"

	"cellserver/commands"
	"cellserver/internal/topology"
	"cellserver/limiters/ruleset"
	"cellserver/server/clients"
	"cellserver/server/stats"
)

// status is the reply of CL.STATUS. All totals are since the start or the last CONFIG RESETSTAT. Two
// replies give the rates.
type status struct {
	runNow
	Commands []commandCount   `json:"commands"`
	Rules    []ruleset.Report `json:"rules"`
	Adaptive []adaptiveNow    `json:"adaptive"`     // of adaptive-metrics-keys
	Source   *ruleset.Source  `json:"rules_source"` // null without rules-file and rules-url
	// DecisionNS is a histogram of how long decisions take. A pair has the upper end of a bucket in
	// nanoseconds, and the number of decisions in the bucket.
	DecisionNS  [][2]int64     `json:"decision_ns"`
	Server      usageNow       `json:"server"`
	Persistence map[string]any `json:"persistence"` // fields of INFO
	Cluster     *clusterNow    `json:"cluster"`     // null if the server is alone
	Master      *masterNow     `json:"master"`      // null if the server follows nobody
	Leases      leasesNow      `json:"leases"`
}

// mostHolders bounds the holders in a reply.
const mostHolders = 100

// Status implements [commands.Report].
func (r *Report) Status() string {
	decided, took := r.decided()
	s := status{
		runNow:   runNow{commands.Version, r.Control.RunID(), (r.Clock.Monotonic() - r.since) / 1e6},
		Commands: decided, Rules: append([]ruleset.Report{}, r.Rules.Report()...),
		Adaptive: r.adaptiveNow(), DecisionNS: took,
		Server: r.usageNow(), Persistence: r.persistenceNow(), Cluster: r.clusterNow(),
		Master: r.masterNow(), Leases: r.leasesNow(),
	}
	if of := r.Rules.Source(); of.Kind != "" {
		s.Source = &of
	}
	var b strings.Builder
	_ = json.NewEncoder(&b).Encode(s) // numbers and texts have no error
	return strings.TrimSuffix(b.String(), "\n")
}

// decided returns the commands of limiters that clients have called, and a histogram of their durations.
func (r *Report) decided() (all []commandCount, took [][2]int64) {
	all, took = []commandCount{}, [][2]int64{}
	var buckets [stats.Buckets]int64
	for _, cmd := range deciding() {
		c := r.Stats.Commands.Of(cmd)
		if c.Calls.Load() == 0 {
			continue
		}
		d := c.Decisions()
		all = append(all, commandCount{cmd.FullName(), d.Allowed, d.Limited, d.Looked, c.Failed.Load()})
		for i := range buckets {
			buckets[i] += c.Took[i].Load()
		}
	}
	for i, n := range buckets {
		if n > 0 {
			took = append(took, [2]int64{stats.BucketEnd(i), n})
		}
	}
	return all, took
}

func (r *Report) usageNow() usageNow {
	usage, keys := r.Process.usage(), r.Store.Counters()
	now := usageNow{
		Commands: r.Stats.Commands.Run(), Clients: r.Clients.Len(), MaxClients: r.Config().MaxClients,
		CPUSeconds: (usage.User + usage.System).Seconds(),
		Most:       r.Config().MaxMemory, Resident: usage.Resident, Expired: keys.Expired, Evicted: keys.Evicted,
	}
	now.Memory, now.Peak = r.memory()
	now.Keys = r.Store.Keys()
	return now
}

func (r *Report) leasesNow() leasesNow {
	all, sidecars := r.Clients.Holders()
	slices.SortStableFunc(all, func(a, b clients.Holder) int { return cmp.Compare(b.Asks, a.Asks) })
	of := &r.Stats.Commands.Leases
	return leasesNow{
		sidecars, of.Asks.Load(), of.Granted.Load(), of.Returned.Load(),
		append([]clients.Holder{}, all[:min(len(all), mostHolders)]...),
	}
}

// persistenceNow has the fields of INFO persistence that say whether the data is safe.
func (r *Report) persistenceNow() map[string]any {
	fields := map[string]any{}
	r.Disk.Info(func(name string, value any) {
		switch name {
		case "loading", "rdb_changes_since_last_save", "rdb_bgsave_in_progress", "rdb_last_save_time", "rdb_last_bgsave_status",
			"aof_enabled", "aof_rewrite_in_progress", "aof_last_write_status", "aof_last_bgrewrite_status", "aof_current_size":
			fields[name] = value
		}
	})
	return fields
}

func (r *Report) clusterNow() *clusterNow {
	cluster := r.Control.Topology()
	if cluster == nil {
		return nil
	}
	v, m := cluster.View(), cluster.Metrics()
	now := &clusterNow{
		State: stateName(v), Leads: cluster.Epoch() != 0, Term: term(v), Applied: v.Applied(v.Self),
		LagEntries: m.LagEntries, LagBytes: m.LagBytes, CommitMicros: m.Within(0.99), EpochsChanged: m.EpochChanges,
	}
	leader := v.LeaderOf(0)
	for i := range v.Nodes {
		n := &v.Nodes[i]
		now.Nodes = append(now.Nodes, nodeNow{
			ID: n.ID, Address: address(n), Self: i == v.Self, Leads: i == leader, Voter: n.Voter, Healthy: n.Healthy, Applied: v.Applied(i),
		})
	}
	return now
}

// stateName returns the state of a node, as INFO and CL.STATUS show it.
func stateName(v *topology.View) string {
	return [...]string{topology.OK: "ok", topology.Down: "down", topology.Joining: "joining"}[v.State]
}
