package commands

import (
	"fmt"
	"strings"
	"time"
)

func infoServer(s *Server, r *infoReport, now int64) {
	cfg, p := s.Config(), &s.process
	up := (s.Clock.Monotonic() - s.since) / int64(time.Second)
	port := cfg.Port
	if port == 0 {
		port = cfg.TLSPort
	}
	r.add("redis_version", RedisVersion)
	r.add("redis_git_sha1", "00000000")
	r.add("redis_git_dirty", 0)
	r.add("redis_build_id", "0")
	r.add("redis_mode", s.mode())
	r.add("os", p.OS)
	r.add("arch_bits", 64)
	r.add("monotonic_clock", "POSIX clock_gettime")
	r.add("multiplexing_api", "go")
	r.add("process_id", p.PID)
	r.add("process_supervised", "no")
	r.add("run_id", s.runID)
	r.add("tcp_port", port)
	r.add("server_time_usec", now/1e3)
	r.add("uptime_in_seconds", up)
	r.add("uptime_in_days", up/(24*3600))
	r.add("hz", cfg.Hz)
	r.add("configured_hz", cfg.Hz)
	r.add("lru_clock", now/1e9&(1<<24-1))
	r.add("executable", p.Executable)
	r.add("config_file", p.ConfigFile)
	r.add("io_threads_active", 0)
}

func infoClients(s *Server, r *infoReport, _ int64) {
	r.add("connected_clients", s.Clients())
	r.zeros("cluster_connections")
	r.add("maxclients", s.Config().MaxClients)
	r.zeros("client_recent_max_input_buffer", "client_recent_max_output_buffer")
	r.add("blocked_clients", s.blocked.Load())
	r.add("tracking_clients", s.tracking.on.Load())
	r.zeros("clients_in_timeout_table")
}

// infoMemory shows as used what counts against maxmemory: keys and values.
func infoMemory(s *Server, r *infoReport, _ int64) {
	cfg, usage := s.Config(), s.process.usage()
	used, peak := s.notePeak()
	r.bytes("used_memory", used)
	r.bytes("used_memory_rss", usage.Resident)
	r.bytes("used_memory_peak", peak)
	r.ratio("used_memory_peak_perc", used, peak, "%")
	r.zeros("used_memory_overhead", "used_memory_startup")
	r.add("used_memory_dataset", used)
	r.ratio("used_memory_dataset_perc", used, used, "%")
	r.bytes("total_system_memory", usage.SystemMemory)
	r.bytes("used_memory_lua", 0)
	r.zeros("used_memory_vm_eval", "used_memory_scripts_eval", "number_of_cached_scripts", "number_of_functions",
		"number_of_libraries", "used_memory_vm_functions")
	r.bytes("used_memory_vm_total", 0)
	r.zeros("used_memory_functions")
	r.bytes("used_memory_scripts", 0)
	r.bytes("maxmemory", cfg.MaxMemory)
	r.add("maxmemory_policy", cfg.MaxMemoryPolicy)
	r.ratio("mem_fragmentation_ratio", usage.Resident, used, "")
	r.add("mem_fragmentation_bytes", usage.Resident-used)
	r.zeros("mem_not_counted_for_evict", "mem_replication_backlog", "mem_total_replication_buffers",
		"mem_clients_slaves", "mem_clients_normal", "mem_cluster_links", "mem_aof_buffer")
	r.add("mem_allocator", "go")
	r.zeros("active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects")
}

func infoPersistence(s *Server, r *infoReport, _ int64) {
	s.persistence.Info(r.add)
}

func infoReplication(s *Server, r *infoReport, _ int64) {
	r.add("role", "master")
	r.zeros("connected_slaves")
	r.add("master_failover_state", "no-failover")
	r.add("master_replid", s.runID)
	r.add("master_replid2", strings.Repeat("0", 40))
	r.zeros("master_repl_offset")
	r.add("second_repl_offset", -1)
	r.zeros("repl_backlog_active")
	r.add("repl_backlog_size", 1<<20)
	r.zeros("repl_backlog_first_byte_offset", "repl_backlog_histlen")
}

func infoCPU(s *Server, r *infoReport, _ int64) {
	usage := s.process.usage()
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
	r.add("used_cpu_sys", seconds(usage.System))
	r.add("used_cpu_user", seconds(usage.User))
	r.add("used_cpu_sys_children", seconds(0))
	r.add("used_cpu_user_children", seconds(0))
}

func infoCluster(s *Server, r *infoReport, _ int64) {
	r.add("cluster_enabled", bit(s.Config().ClusterEnabled))
}

func infoKeyspace(s *Server, r *infoReport, _ int64) {
	for db := range s.Store.Databases() {
		if n := s.Store.Len(db); n > 0 {
			r.add(fmt.Sprintf("db%d", db), fmt.Sprintf("keys=%d,expires=%d,avg_ttl=0", n, s.Store.Volatile(db)))
		}
	}
}
