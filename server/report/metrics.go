package report

import (
	"maps"
	"slices"
	"strconv"
	"time"

	"cellserver/commands"
)

// Metrics returns the numbers of INFO that change over time, as a text for Prometheus of the type
// [MetricsType].
func (r *Report) Metrics() string {
	var x exposition
	for _, family := range []func(*Report, *exposition){
		(*Report).metricsServer, (*Report).metricsClients, (*Report).metricsMemory, (*Report).metricsKeys,
		(*Report).metricsPersistence, (*Report).metricsCommands, (*Report).metricsErrors, (*Report).metricsLimiters,
		(*Report).metricsCluster, (*Report).metricsMaster, (*Report).metricsSidecar,
	} {
		family(r, &x)
	}
	return x.String()
}

func (r *Report) metricsServer(x *exposition) {
	usage, traffic := r.Process.usage(), r.traffic()
	x.gauge("info", "Version, mode and run id of the server. The value is always 1.")
	mode := commands.Mode(r.Config(), false)
	x.add(1, "version", commands.Version, "mode", mode, "run_id", r.Control.RunID())
	x.one(x.gauge, "uptime_seconds", inSeconds(r.Clock.Monotonic()-r.since), "Seconds since the start.")
	x.counter("cpu_seconds_total", "CPU time of the process.")
	x.add(usage.User.Seconds(), "mode", "user")
	x.add(usage.System.Seconds(), "mode", "system")
	x.counter("network_bytes_total", "Bytes that clients sent (in) and received (out).")
	x.add(float64(traffic.Input), "direction", "in")
	x.add(float64(traffic.Output), "direction", "out")
	x.one(x.counter, "panics_total",
		float64(r.Stats.Totals.Panics.Load()), "Commands that panicked because of a bug in the server.")
	steps, gap := r.Clock.Steps()
	x.one(x.counter, "clock_steps_back_total", float64(steps), "How often the machine's clock was set back.")
	x.one(x.gauge, "clock_ahead_seconds", inSeconds(gap), "How far limits are ahead of that clock.")
	x.one(x.gauge, "slowlog_entries", float64(r.Slow.Len()), "Entries of SLOWLOG.")
}

func inSeconds(nanos int64) float64 { return time.Duration(nanos).Seconds() }

func (r *Report) metricsClients(x *exposition) {
	x.one(x.gauge, "clients", float64(r.Clients.Len()), "Connections of clients.")
	x.one(x.gauge, "clients_max",
		float64(r.Config().MaxClients), "Largest number of connections: maxclients.")
	x.one(x.gauge, "clients_blocked", float64(r.Clients.Blocked()), "Clients whose command waits.")
	x.one(x.counter, "connections_total",
		float64(r.Stats.Totals.Connections.Load()), "Connections that were accepted.")
	x.one(x.counter, "connections_rejected_total",
		float64(r.Stats.Totals.Rejected.Load()), "Connections that were refused because of maxclients.")
	x.one(x.counter, "auth_failures_total", float64(r.Stats.Logins.Failed()),
		"Attempts to authenticate with a wrong user, password or token.")
	x.one(x.counter, "auth_limited_total", float64(r.Stats.Logins.Limited()),
		"Attempts to authenticate that auth-fail-limit refused.")
}

func (r *Report) metricsMemory(x *exposition) {
	used, peak := r.memory()
	x.one(x.gauge, "memory_used_bytes", float64(used), "Memory of keys and values.")
	x.one(x.gauge, "memory_peak_bytes", float64(peak), "Largest memory of keys and values so far.")
	x.one(x.gauge, "memory_max_bytes",
		float64(r.Config().MaxMemory), "Limit on the memory of keys and values: maxmemory. 0 means no limit.")
	x.one(x.gauge, "memory_resident_bytes",
		float64(r.Process.usage().Resident), "Resident memory of the process.")
}

func (r *Report) metricsKeys(x *exposition) {
	databases := func(name, help string, count func(db int) int) {
		x.gauge(name, help)
		for db := range r.Store.Databases() {
			if db == 0 || r.Store.Len(db) > 0 {
				x.add(float64(count(db)), "db", strconv.Itoa(db))
			}
		}
	}
	databases("keys", "Keys, with expired keys that are not removed yet.", r.Store.Len)
	databases("keys_expiring", "Keys with an expiry.", r.Store.Volatile)
	c := r.Store.Counters()
	x.one(x.counter, "keys_expired_total", float64(c.Expired), "Keys that were removed because they expired.")
	x.one(x.counter, "keys_evicted_total", float64(c.Evicted), "Keys that were evicted because of maxmemory.")
	x.one(x.counter, "keyspace_hits_total", float64(c.Hits), "Reads that found their key.")
	x.one(x.counter, "keyspace_misses_total", float64(c.Misses), "Reads that did not find their key.")
}

func (r *Report) metricsPersistence(x *exposition) {
	fields := map[string]any{}
	r.Disk.Info(func(name string, value any) { fields[name] = value })
	changes, _ := fields["rdb_changes_since_last_save"].(int64)
	x.one(x.gauge, "changes_since_save", float64(changes), "Changes of the keyspace since the last save.")
	x.one(x.gauge, "last_save_timestamp_seconds",
		float64(r.Disk.LastSave()), "Unix time of the last save, or of the start.")
	x.gauge("persistence_failed", "1 while the log or snapshots cannot be written, also because their directory is gone; else 0.")
	for _, of := range [...]struct{ file, status string }{
		{"snapshot", "rdb_last_bgsave_status"}, {"log", "aof_last_write_status"},
	} {
		x.add(float64(commands.Bit(fields[of.status] == "err")), "file", of.file)
	}
}

// metricsCommands shows the commands that clients have called.
func (r *Report) metricsCommands(x *exposition) {
	called := slices.DeleteFunc(commands.ByName(), func(cmd *commands.Command) bool {
		st := r.Stats.Commands.Of(cmd)
		return st.Calls.Load()+st.Rejected.Load() == 0
	})
	x.counter("commands_total", "Commands by outcome: ok, failed (they replied with an error), rejected (they did not run).")
	for _, cmd := range called {
		st := r.Stats.Commands.Of(cmd)
		failed := st.Failed.Load()
		x.add(float64(max(st.Calls.Load()-failed, 0)), "command", cmd.FullName(), "outcome", "ok")
		x.add(float64(failed), "command", cmd.FullName(), "outcome", "failed")
		x.add(float64(st.Rejected.Load()), "command", cmd.FullName(), "outcome", "rejected")
	}
	x.family("command_duration_seconds", "histogram", "Durations of commands.")
	for _, cmd := range called {
		x.histogram(r.Stats.Commands.Of(cmd), "command", cmd.FullName())
	}
}

func (r *Report) metricsErrors(x *exposition) {
	byCode, _ := r.Stats.Errors.All()
	x.counter("errors_total", "Error replies by code.")
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		x.add(float64(byCode[code]), "code", code)
	}
}
