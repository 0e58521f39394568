package report

import (
	"fmt"
	"time"

	"cellserver/commands"
)

func (r *Report) infoServer(t *text, now int64) {
	cfg, p := r.Config(), &r.Process
	up := (r.Clock.Monotonic() - r.since) / int64(time.Second)
	port := cfg.Port
	if port == 0 {
		port = cfg.TLSPort
	}
	t.add("redis_version", commands.RedisVersion)
	t.add("redis_git_sha1", "00000000")
	t.add("redis_git_dirty", 0)
	t.add("redis_build_id", "0")
	t.add("redis_mode", commands.Mode(r.Config(), t.door.Whole))
	t.add("os", p.OS)
	t.add("arch_bits", 64)
	t.add("monotonic_clock", "POSIX clock_gettime")
	t.add("multiplexing_api", "go")
	t.add("process_id", p.PID)
	t.add("process_supervised", "no")
	t.add("run_id", r.Control.RunID())
	t.add("tcp_port", port)
	_, gap := r.Clock.Steps()
	t.add("server_time_usec", (now-gap)/1e3)
	t.add("uptime_in_seconds", up)
	t.add("uptime_in_days", up/(24*3600))
	t.add("hz", cfg.Hz)
	t.add("configured_hz", cfg.Hz)
	t.add("lru_clock", now/1e9&(1<<24-1))
	t.add("executable", p.Executable)
	t.add("config_file", p.ConfigFile)
	t.add("io_threads_active", 0)
}

func (r *Report) infoClients(t *text, _ int64) {
	_, sidecars := r.Clients.Holders()
	t.add("connected_clients", r.Clients.Len())
	t.add("connected_sidecars", sidecars)
	t.zeros("cluster_connections")
	t.add("maxclients", r.Config().MaxClients)
	t.zeros("client_recent_max_input_buffer", "client_recent_max_output_buffer")
	t.add("blocked_clients", r.Clients.Blocked())
	t.add("tracking_clients", r.Tracking.On())
	t.zeros("clients_in_timeout_table")
}

// infoMemory shows keys and values as used_memory, because they count against maxmemory.
func (r *Report) infoMemory(t *text, _ int64) {
	cfg, usage := r.Config(), r.Process.usage()
	used, peak := r.memory()
	t.bytes("used_memory", used)
	t.bytes("used_memory_rss", usage.Resident)
	t.bytes("used_memory_peak", peak)
	t.ratio("used_memory_peak_perc", used, peak, "%")
	t.zeros("used_memory_overhead", "used_memory_startup")
	t.add("used_memory_dataset", used)
	t.ratio("used_memory_dataset_perc", used, used, "%")
	t.bytes("total_system_memory", usage.SystemMemory)
	t.bytes("used_memory_lua", 0)
	scripts, ofScripts, _ := r.Scripts()
	t.zeros("used_memory_vm_eval")
	t.add("used_memory_scripts_eval", ofScripts)
	t.add("number_of_cached_scripts", scripts)
	t.zeros("number_of_functions", "number_of_libraries", "used_memory_vm_functions")
	t.bytes("used_memory_vm_total", 0)
	t.zeros("used_memory_functions")
	t.bytes("used_memory_scripts", int64(ofScripts))
	t.bytes("maxmemory", cfg.MaxMemory)
	t.add("maxmemory_policy", cfg.MaxMemoryPolicy)
	t.ratio("mem_fragmentation_ratio", usage.Resident, used, "")
	t.add("mem_fragmentation_bytes", usage.Resident-used)
	t.zeros("mem_not_counted_for_evict", "mem_replication_backlog", "mem_total_replication_buffers",
		"mem_clients_slaves", "mem_clients_normal", "mem_cluster_links", "mem_aof_buffer")
	t.add("mem_allocator", "go")
	t.zeros("active_defrag_running", "lazyfree_pending_objects", "lazyfreed_objects")
}

func (r *Report) infoCPU(t *text, _ int64) {
	usage := r.Process.usage()
	seconds := func(d time.Duration) string { return fmt.Sprintf("%.6f", d.Seconds()) }
	t.add("used_cpu_sys", seconds(usage.System))
	t.add("used_cpu_user", seconds(usage.User))
	t.add("used_cpu_sys_children", seconds(0))
	t.add("used_cpu_user_children", seconds(0))
}

func (r *Report) infoKeyspace(t *text, _ int64) {
	for db := range r.Store.Databases() {
		if n := r.Store.Len(db); n > 0 {
			t.add(fmt.Sprintf("db%d", db), fmt.Sprintf("keys=%d,expires=%d,avg_ttl=0",
				n, r.Store.Volatile(db)))
		}
	}
}
