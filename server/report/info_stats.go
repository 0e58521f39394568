package report

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"cellserver/commands"
	"cellserver/server/stats"
)

func (r *Report) infoStats(t *text, _ int64) {
	usage, keys := r.traffic(), r.Store.Counters()
	_, errors := r.Stats.Errors.All()
	t.add("total_connections_received", r.Stats.Totals.Connections.Load())
	t.add("total_commands_processed", r.Stats.Commands.Run())
	t.add("instantaneous_ops_per_sec", r.Stats.Rates.PerSecond(stats.CommandsRun))
	t.add("total_net_input_bytes", usage.Input)
	t.add("total_net_output_bytes", usage.Output)
	t.zeros("total_net_repl_input_bytes", "total_net_repl_output_bytes")
	t.ratio("instantaneous_input_kbps", r.Stats.Rates.PerSecond(stats.InputBytes), 1024, "")
	t.ratio("instantaneous_output_kbps", r.Stats.Rates.PerSecond(stats.OutputBytes), 1024, "")
	t.add("instantaneous_input_repl_kbps", "0.00")
	t.add("instantaneous_output_repl_kbps", "0.00")
	t.add("rejected_connections", r.Stats.Totals.Rejected.Load())
	t.zeros("sync_full", "sync_partial_ok", "sync_partial_err")
	t.add("expired_keys", keys.Expired)
	t.add("expired_stale_perc", "0.00")
	t.zeros("expired_time_cap_reached_count", "expire_cycle_cpu_milliseconds")
	t.add("evicted_keys", keys.Evicted)
	_, _, forgotten := r.Scripts()
	t.zeros("evicted_clients")
	t.add("evicted_scripts", forgotten)
	t.zeros("total_eviction_exceeded_time", "current_eviction_exceeded_time")
	t.add("keyspace_hits", keys.Hits)
	t.add("keyspace_misses", keys.Misses)
	t.add("pubsub_channels", r.PubSub.Len(commands.Channel))
	t.add("pubsub_patterns", r.PubSub.Patterns())
	t.add("pubsubshard_channels", r.PubSub.Len(commands.Shard))
	t.zeros("latest_fork_usec", "total_forks",
		"migrate_cached_sockets", "slave_expires_tracked_keys", "active_defrag_hits", "active_defrag_misses",
		"active_defrag_key_hits", "active_defrag_key_misses",
		"total_active_defrag_time", "current_active_defrag_time")
	tracked, items, prefixes := r.Tracking.Sizes()
	t.add("tracking_total_keys", tracked)
	t.add("tracking_total_items", items)
	t.add("tracking_total_prefixes", prefixes)
	t.zeros("unexpected_error_replies")
	t.add("total_error_replies", errors)
	t.zeros("dump_payload_sanitizations")
	t.add("total_reads_processed", usage.Reads)
	t.add("total_writes_processed", usage.Writes)
	t.zeros("io_threaded_reads_processed", "io_threaded_writes_processed", "reply_buffer_shrinks", "reply_buffer_expands")
}

func (r *Report) infoCommandStats(t *text, _ int64) {
	for _, cmd := range commands.ByName() {
		st := r.Stats.Commands.Of(cmd)
		calls, micros := st.Calls.Load(), st.Nanos.Load()/1e3
		rejected, failed := st.Rejected.Load(), st.Failed.Load()
		if calls+rejected+failed == 0 {
			continue
		}
		each := 0.0
		if calls > 0 {
			each = float64(micros) / float64(calls)
		}
		t.add("cmdstat_"+cmd.FullName(), fmt.Sprintf("calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
			calls, micros, each, rejected, failed))
	}
}

// inField replaces what would end the name of a field: the code of a script's error may be any text.
var inField = strings.NewReplacer(":", "_", "#", "_")

func (r *Report) infoErrorStats(t *text, _ int64) {
	byCode, _ := r.Stats.Errors.All()
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		t.add("errorstat_"+inField.Replace(code), fmt.Sprintf("count=%d", byCode[code]))
	}
}

func (r *Report) infoLatencyStats(t *text, _ int64) {
	cfg := r.Config()
	if !cfg.LatencyTracking {
		return
	}
	for _, cmd := range commands.ByName() {
		st := r.Stats.Commands.Of(cmd)
		if st.Calls.Load() == 0 {
			continue
		}
		var shown []string
		for _, p := range cfg.LatencyPercentiles {
			name := strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%f", p), "0"), ".")
			shown = append(shown, fmt.Sprintf("p%s=%.3f", name, float64(st.Percentile(p))/1e3))
		}
		t.add("latency_percentiles_usec_"+cmd.FullName(), strings.Join(shown, ","))
	}
}

func (r *Report) infoCellserver(t *text, now int64) {
	t.add("cellserver_version", commands.Version)
	t.add("logical_time_nanoseconds", now)
	t.add("auth_failures", r.Stats.Logins.Failed())
	t.add("auth_limited", r.Stats.Logins.Limited())
	t.add("command_panics", r.Stats.Totals.Panics.Load())
	steps, gap := r.Clock.Steps()
	t.add("clock_steps_back", steps)
	t.add("clock_ahead_seconds", gap/1e9)
}
