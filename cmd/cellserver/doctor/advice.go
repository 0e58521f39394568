package doctor

import (
	"fmt"
	"time"
)

// Values above which a person should look.
const (
	nearlyFull  = 0.9
	manyFsyncs  = 10
	manyCopies  = 3
	manyLogins  = 10
	manyActions = 100 // decisions, before their share of refusals says anything
	manyLost    = 0.1 // of the units of leases
	tooSlow     = 100 * time.Millisecond
)

// A check is a fact that needs a person, and what this person does.
type check struct {
	needed bool
	advice string
}

// advice lists what to do, the most urgent first.
func (f *facts) advice(address string) (lines []string) {
	for _, checks := range [][]check{
		f.persistence(), f.availability(address), f.leasing(), f.room(), f.behaviour(),
	} {
		for _, c := range checks {
			if c.needed {
				lines = append(lines, c.advice)
			}
		}
	}
	if len(lines) == 0 {
		return []string{"nothing: the server is well"}
	}
	return lines
}

func (f *facts) persistence() []check {
	return []check{
		{f.number("aof_enabled") > 0 && f.fields["aof_last_write_status"] != "ok",
			"make room on the disk, or repair it: the log cannot be written, and a restart loses the " +
				"changes since then"},
		{f.fields["rdb_last_bgsave_status"] != "ok", "make room on the disk, or repair it: the last snapshot failed"},
		{f.number("aof_delayed_fsync") >= manyFsyncs, "find out why the disk is slow: clients wait for it if they change something"},
	}
}

func (f *facts) availability(address string) []check {
	state := f.fields["cluster_state"]
	return []check{
		{f.number("loading") > 0, "wait: the server loads its data"},
		{f.number("master_link_stopped") > 0, "correct what stops the move, and send REPLICAOF again, or " +
			"REPLICAOF NO ONE: " + f.fields["master_link_error"]},
		{f.moves() && f.number("master_link_stopped") == 0 && f.fields["master_link_status"] != "up",
			"wait for the full copy, or see why the link to the master is down: " +
				f.fields["master_link_error"]},
		{f.moves() && f.number("master_full_copies") >= manyCopies,
			"raise repl-backlog-size and client-output-buffer-limit replica of the master: it makes a full " +
				"copy again and again"},
		{state != "" && state != "ok", "run cellserver cluster-check " + address +
			": the cluster has no leader that answers"},
		{state == "ok" && f.number("cluster_nodes_healthy") < f.number("cluster_nodes"),
			fmt.Sprintf("run cellserver cluster-check %s: %s, and the cluster may not survive the loss of "+
				"one more", address, f.answering())},
		{f.failures("CLUSTERDOWN") > 0 && state == "ok", fmt.Sprintf("read the log for elections: %d commands got CLUSTERDOWN since the start", f.failures("CLUSTERDOWN"))},
		{f.failures("MISCONF") > 0, fmt.Sprintf("read the log for the disk: %d commands got MISCONF since the start", f.failures("MISCONF"))},
		{f.number("command_panics") > 0, "report the bug: a command panicked, and the log has the stack"},
	}
}

// leasing checks a sidecar.
func (f *facts) leasing() []check {
	hub, leased := f.fields["upstream"], f.number("leased")
	return []check{
		{hub != "" && !f.hubAnswers(), "run cellserver doctor " + hub + ": the hub does not answer this " +
			"sidecar in time, and upstream-lost says what clients get"},
		{f.failures("NOAUTH")+f.failures("WRONGPASS")+f.failures("NOPERM") > 0 && hub != "",
			"check upstream-user and upstream-password, and the rights of this user: the hub refuses " +
				"commands"},
		{f.number("uncharged") > 0, "let the user of each client run CL.CHARGE, CL.MWINDOW and the " +
			"limiters at the hub, or set upstream-mode exact: the hub has not counted all that this " +
			"sidecar allowed"},
		{leased >= manyActions && float64(f.number("stranded")) > manyLost*float64(leased),
			"look for pauses of this machine and for cuts: leases end before their units are spent"},
	}
}

func (f *facts) room() []check {
	used, limit := f.number("used_memory"), f.number("maxmemory")
	clients, places := f.number("connected_clients"), f.number("maxclients")
	return []check{
		{limit > 0 && float64(used) > nearlyFull*float64(limit), "raise maxmemory: it is nearly used up"},
		{f.failures("OOM") > 0, fmt.Sprintf("raise maxmemory, or choose another maxmemory-policy: %d commands got OOM since the start", f.failures("OOM"))},
		{f.number("evicted_keys") > 0, "raise maxmemory: keys were evicted, and a limit whose key is evicted starts again"},
		{places > 0 && float64(clients) > nearlyFull*float64(places), "find the clients with CLIENT " +
			"LIST, or raise maxclients: it is nearly used up"},
		{f.number("rejected_connections") > 0, "raise maxclients: connections were refused since the start"},
	}
}

func (f *facts) behaviour() []check {
	allowed, limited := f.decisions()
	return []check{
		{allowed+limited >= manyActions && limited > allowed, "ask CL.TOP 10: more actions are refused " +
			"than allowed. It is an attack, or a limit is too low"},
		{f.slowest.took >= tooSlow, "ask SLOWLOG GET 10: commands take long, and others wait for them"},
		{f.number("auth_failures") >= manyLogins, "ask ACL LOG: clients send wrong passwords"},
		{f.number("clock_steps_back") > 0, "check the clock of the machine: it was set back"},
	}
}
