package commands

import (
	"maps"
	"slices"
	"strconv"
	"time"
)

// Metrics is what INFO says that can be drawn over time, as text for Prometheus. Whatever
// clients do, it stays of bounded size: names of commands, rules and databases there are
// only so many, and of keys it shows as many as metrics-top-keys says.
func (s *Server) Metrics() string {
	var x exposition
	for _, family := range []func(*Server, *exposition){
		metricsServer, metricsClients, metricsMemory, metricsKeys, metricsPersistence, metricsCommands, metricsErrors, metricsLimiters,
	} {
		family(s, &x)
	}
	return x.String()
}

func metricsServer(s *Server, x *exposition) {
	usage, traffic := s.process.usage(), s.traffic()
	x.gauge("info", "What runs: always 1.")
	x.add(1, "version", Version, "mode", s.mode(), "run_id", s.runID)
	x.one(x.gauge, "uptime_seconds", inSeconds(s.Clock.Monotonic()-s.since), "Seconds since the start.")
	x.counter("cpu_seconds_total", "Processor time of the process.")
	x.add(usage.User.Seconds(), "mode", "user")
	x.add(usage.System.Seconds(), "mode", "system")
	x.counter("network_bytes_total", "Bytes through connections of clients.")
	x.add(float64(traffic.Input), "direction", "in")
	x.add(float64(traffic.Output), "direction", "out")
	x.one(x.counter, "panics_total", float64(s.totals.panics.Load()), "Commands that panicked: faults of the server.")
	x.one(x.gauge, "slowlog_entries", float64(s.slow.logged()), "Entries of SLOWLOG.")
}

func inSeconds(nanos int64) float64 { return time.Duration(nanos).Seconds() }

func metricsClients(s *Server, x *exposition) {
	x.one(x.gauge, "clients", float64(s.Clients()), "Connections of clients.")
	x.one(x.gauge, "clients_max", float64(s.Config().MaxClients), "Connections that there may be.")
	x.one(x.gauge, "clients_blocked", float64(s.blocked.Load()), "Clients whose command waits.")
	x.one(x.counter, "connections_total", float64(s.totals.connections.Load()), "Connections that were accepted.")
	x.one(x.counter, "connections_rejected_total", float64(s.totals.rejected.Load()), "Connections that were refused for maxclients.")
}

func metricsMemory(s *Server, x *exposition) {
	used, peak := s.notePeak()
	x.one(x.gauge, "memory_used_bytes", float64(used), "What keys and values take.")
	x.one(x.gauge, "memory_peak_bytes", float64(peak), "The most they took.")
	x.one(x.gauge, "memory_max_bytes", float64(s.Config().MaxMemory), "What they may take: maxmemory, 0 for any.")
	x.one(x.gauge, "memory_resident_bytes", float64(s.process.usage().Resident), "What the process takes.")
}

func metricsKeys(s *Server, x *exposition) {
	databases := func(name, help string, count func(db int) int) {
		x.gauge(name, help)
		for db := range s.Store.Databases() {
			if db == 0 || s.Store.Len(db) > 0 {
				x.add(float64(count(db)), "db", strconv.Itoa(db))
			}
		}
	}
	databases("keys", "Keys, those whose time is over and that are still there included.", s.Store.Len)
	databases("keys_expiring", "Keys with an expiry.", s.Store.Volatile)
	c := s.Store.Counters()
	x.one(x.counter, "keys_expired_total", float64(c.Expired), "Keys that went because their time was over.")
	x.one(x.counter, "keys_evicted_total", float64(c.Evicted), "Keys that went for maxmemory.")
	x.one(x.counter, "keyspace_hits_total", float64(c.Hits), "Reads that found their key.")
	x.one(x.counter, "keyspace_misses_total", float64(c.Misses), "Reads that did not.")
}

func metricsPersistence(s *Server, x *exposition) {
	x.one(x.gauge, "changes_since_save", float64(s.Changes()), "Changes of the keyspace since the last save.")
	x.one(x.gauge, "last_save_timestamp_seconds", float64(s.persistence.LastSave()), "When that was, or the start.")
}

// metricsCommands shows the commands that clients have tried.
func metricsCommands(s *Server, x *exposition) {
	called := slices.DeleteFunc(byName(), func(cmd *Command) bool {
		st := s.statsOf(cmd)
		return st.calls.Load()+st.rejected.Load() == 0
	})
	x.counter("commands_total", "Commands by outcome: ok, failed (answered with an error), rejected (refused before they ran).")
	for _, cmd := range called {
		st := s.statsOf(cmd)
		failed := st.failed.Load()
		x.add(float64(max(st.calls.Load()-failed, 0)), "command", cmd.FullName(), "outcome", "ok")
		x.add(float64(failed), "command", cmd.FullName(), "outcome", "failed")
		x.add(float64(st.rejected.Load()), "command", cmd.FullName(), "outcome", "rejected")
	}
	x.family("command_duration_seconds", "histogram", "Time that commands took.")
	for _, cmd := range called {
		x.histogram(s.statsOf(cmd), "command", cmd.FullName())
	}
}

func metricsErrors(s *Server, x *exposition) {
	byCode, _ := s.errors.all()
	x.counter("errors_total", "Error replies by code.")
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		x.add(float64(byCode[code]), "code", code)
	}
}
