package commands

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

func infoStats(s *Server, r *infoReport, _ int64) {
	usage, keys := s.traffic(), s.Store.Counters()
	_, errors := s.errors.all()
	r.add("total_connections_received", s.totals.connections.Load())
	r.add("total_commands_processed", s.commandsRun())
	r.add("instantaneous_ops_per_sec", s.rates.perSecond(rateCommands))
	r.add("total_net_input_bytes", usage.Input)
	r.add("total_net_output_bytes", usage.Output)
	r.zeros("total_net_repl_input_bytes", "total_net_repl_output_bytes")
	r.ratio("instantaneous_input_kbps", s.rates.perSecond(rateInput), 1024, "")
	r.ratio("instantaneous_output_kbps", s.rates.perSecond(rateOutput), 1024, "")
	r.add("instantaneous_input_repl_kbps", "0.00")
	r.add("instantaneous_output_repl_kbps", "0.00")
	r.add("rejected_connections", s.totals.rejected.Load())
	r.zeros("sync_full", "sync_partial_ok", "sync_partial_err")
	r.add("expired_keys", keys.Expired)
	r.add("expired_stale_perc", "0.00")
	r.zeros("expired_time_cap_reached_count", "expire_cycle_cpu_milliseconds")
	r.add("evicted_keys", keys.Evicted)
	r.zeros("evicted_clients", "total_eviction_exceeded_time", "current_eviction_exceeded_time")
	r.add("keyspace_hits", keys.Hits)
	r.add("keyspace_misses", keys.Misses)
	s.pubsub.info(r)
	r.zeros("pubsubshard_channels", "latest_fork_usec", "total_forks",
		"migrate_cached_sockets", "slave_expires_tracked_keys", "active_defrag_hits", "active_defrag_misses",
		"active_defrag_key_hits", "active_defrag_key_misses",
		"total_active_defrag_time", "current_active_defrag_time")
	s.tracking.info(r)
	r.zeros("unexpected_error_replies")
	r.add("total_error_replies", errors)
	r.zeros("dump_payload_sanitizations")
	r.add("total_reads_processed", usage.Reads)
	r.add("total_writes_processed", usage.Writes)
	r.zeros("io_threaded_reads_processed", "io_threaded_writes_processed", "reply_buffer_shrinks", "reply_buffer_expands")
}

// info writes what INFO says of CLIENT TRACKING.
func (t *tracking) info(r *infoReport) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r.add("tracking_total_keys", len(t.keys))
	r.add("tracking_total_items", t.items)
	r.add("tracking_total_prefixes", len(t.prefixes))
}

// info writes what INFO says of PUBLISH and SUBSCRIBE.
func (p *pubsub) info(r *infoReport) {
	p.mu.Lock()
	defer p.mu.Unlock()
	r.add("pubsub_channels", len(p.channels))
	r.add("pubsub_patterns", len(p.patterns))
}

func infoCommandStats(s *Server, r *infoReport, _ int64) {
	for _, cmd := range byName() {
		st := s.statsOf(cmd)
		calls, micros := st.calls.Load(), st.nanos.Load()/1e3
		rejected, failed := st.rejected.Load(), st.failed.Load()
		if calls+rejected+failed == 0 {
			continue
		}
		each := 0.0
		if calls > 0 {
			each = float64(micros) / float64(calls)
		}
		r.add("cmdstat_"+cmd.FullName(), fmt.Sprintf("calls=%d,usec=%d,usec_per_call=%.2f,rejected_calls=%d,failed_calls=%d",
			calls, micros, each, rejected, failed))
	}
}

func infoErrorStats(s *Server, r *infoReport, _ int64) {
	byCode, _ := s.errors.all()
	for _, code := range slices.Sorted(maps.Keys(byCode)) {
		r.add("errorstat_"+code, fmt.Sprintf("count=%d", byCode[code]))
	}
}

func infoLatencyStats(s *Server, r *infoReport, _ int64) {
	cfg := s.Config()
	if !cfg.LatencyTracking {
		return
	}
	for _, cmd := range byName() {
		st := s.statsOf(cmd)
		if st.calls.Load() == 0 {
			continue
		}
		var shown []string
		for _, p := range cfg.LatencyPercentiles {
			name := strings.TrimSuffix(strings.TrimRight(fmt.Sprintf("%f", p), "0"), ".")
			shown = append(shown, fmt.Sprintf("p%s=%.3f", name, float64(st.percentile(p))/1e3))
		}
		r.add("latency_percentiles_usec_"+cmd.FullName(), strings.Join(shown, ","))
	}
}

// percentile returns the nanoseconds that p percent of the calls did not exceed, at most
// a quarter too high.
func (st *stats) percentile(p float64) int64 {
	var counts [durations]int64
	var all int64
	for i := range counts {
		counts[i] = st.took[i].Load()
		all += counts[i]
	}
	rank := max(int64(p/100*float64(all)+0.5), 1)
	seen := int64(0)
	for i, n := range counts {
		if seen += n; seen >= rank {
			return durationBound(i)
		}
	}
	return durationBound(durations - 1)
}

func infoCellserver(s *Server, r *infoReport, now int64) {
	r.add("cellserver_version", Version)
	r.add("logical_time_nanoseconds", now)
	r.add("command_panics", s.totals.panics.Load())
}
