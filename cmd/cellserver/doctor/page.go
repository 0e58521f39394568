package doctor

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"
)

// most is how many rules, keys, commands or errors a line names at most.
const most = 3

// page returns the facts as lines, each with a name, and what to do.
func (f *facts) page(address string) string {
	var b strings.Builder
	for _, line := range []struct{ name, text string }{
		{"server", f.server(address)}, {"limits", f.limits()}, {"rules", f.rules()}, {"refused", f.keys()},
		{"commands", f.commands()}, {"slow", f.slow()}, {"errors", f.errors()}, {"clients", f.clients()},
		{"memory", f.memory()}, {"disk", f.disk()}, {"faults", f.faults()}, {"cluster", f.cluster()},
		{"master", f.master()},
		{"leases", f.leases()}, {"hub", f.hub()},
	} {
		if line.text != "" {
			fmt.Fprintf(&b, "%-9s %s\n", line.name, line.text)
		}
	}
	b.WriteString("\nwhat to do\n")
	for _, line := range f.advice(address) {
		b.WriteString("  " + line + "\n")
	}
	return strings.Map(printable, b.String())
}

// printable replaces a character that could control a terminal. Clients choose the codes of errors in
// scripts, for example.
func printable(r rune) rune {
	if r == '\n' || unicode.IsPrint(r) {
		return r
	}
	return '?'
}

func (f *facts) server(address string) string {
	answer := fmt.Sprintf("answers within %s", span(f.took))
	if f.refused != "" {
		answer = "answers " + quoted(f.refused)
	}
	return fmt.Sprintf("%s, version %s, %s, up for %s, %s",
		address, f.fields["cellserver_version"], f.fields["redis_mode"],
		span(time.Duration(f.number("uptime_in_seconds"))*time.Second), answer)
}

func (f *facts) limits() string {
	allowed, limited := f.decisions()
	actions := "actions"
	if allowed == 1 {
		actions = "action"
	}
	return fmt.Sprintf("%d %s allowed, %d refused (%s)",
		allowed, actions, limited, share(limited, allowed+limited))
}

// rules names the rules that refuse most.
func (f *facts) rules() string {
	all := f.members("rule_")
	if len(all) == 0 {
		return "none"
	}
	refused := func(m member) int64 { return m.number("limited") + m.number("shadow_limited") }
	return fmt.Sprintf("%d: %s", len(all), largest(all, refused, func(m member) string {
		said := fmt.Sprintf("refused %d of %d", m.number("limited"), m.number("allowed")+m.number("limited"))
		if n := m.number("shadow_limited"); n > 0 {
			said += fmt.Sprintf(" and would have refused %d more without SHADOW", n)
		}
		return said
	}))
}

// keys names the keys that were refused most often.
func (f *facts) keys() string {
	var parts []string
	for _, m := range f.members("limited_most_") {
		if len(parts) < most {
			parts = append(parts, fmt.Sprintf("%s %s", short(m.values["key"]), times(m.number("times"))))
		}
	}
	none := "no key"
	if _, limited := f.decisions(); limited > 0 {
		none = "ask CL.TOP 10, because metrics-top-keys hides keys"
	}
	return cmp.Or(strings.Join(parts, ", "), none)
}

// commands names the commands that took most of the time.
func (f *facts) commands() string {
	return fmt.Sprintf("%d a second now; most time for %s", f.number("instantaneous_ops_per_sec"),
		largest(f.members("cmdstat_"), func(m member) int64 { return m.number("usec") },
			func(m member) string { return m.values["usec_per_call"] + " us" }))
}

func (f *facts) slow() string {
	if f.entries == 0 {
		return "no entry in SLOWLOG"
	}
	return fmt.Sprintf("%d entries in SLOWLOG; the longest took %s: %s",
		f.entries, span(f.slowest.took), short(quoted(strings.Join(f.slowest.args, " "))))
}

// errors names the most frequent error replies.
func (f *facts) errors() string {
	count := func(m member) int64 { return m.number("count") }
	return largest(f.members("errorstat_"), count, func(m member) string { return times(count(m)) })
}

// largest names the members with the largest numbers, and says something of each.
func largest(all []member, number func(member) int64, say func(member) string) string {
	slices.SortStableFunc(all, func(a, b member) int { return cmp.Compare(number(b), number(a)) })
	var parts []string
	for _, m := range all[:min(most, len(all))] {
		parts = append(parts, m.name+" "+say(m))
	}
	return cmp.Or(strings.Join(parts, ", "), "none")
}

func (f *facts) clients() string {
	return fmt.Sprintf("%d of %d, %d wait; %d refused since the start",
		f.number("connected_clients"), f.number("maxclients"),
		f.number("blocked_clients"), f.number("rejected_connections"))
}

func (f *facts) memory() string {
	limit := "without maxmemory"
	if f.number("maxmemory") > 0 {
		limit = "of " + f.fields["maxmemory_human"] + ", then " + f.fields["maxmemory_policy"]
	}
	return fmt.Sprintf("%s %s; the process has %s; %d keys evicted",
		f.fields["used_memory_human"], limit, f.fields["used_memory_rss_human"], f.number("evicted_keys"))
}

func (f *facts) disk() string {
	log := "no log"
	switch {
	case f.fields["cluster_state"] != "":
		log = "the log is that of the cluster"
	case f.number("aof_enabled") > 0:
		log = fmt.Sprintf("log %s, %d slow fsyncs",
			f.fields["aof_last_write_status"], f.number("aof_delayed_fsync"))
	}
	return fmt.Sprintf("%s; snapshot %s, %d changes since",
		log, f.fields["rdb_last_bgsave_status"], f.number("rdb_changes_since_last_save"))
}

func (f *facts) faults() string {
	return fmt.Sprintf("%d panics, clock set back %s, %d wrong passwords",
		f.number("command_panics"), times(f.number("clock_steps_back")), f.number("auth_failures"))
}

// cluster is "" for a server that is alone.
func (f *facts) cluster() string {
	if f.fields["cluster_state"] == "" {
		return ""
	}
	role := "follows"
	if f.number("cluster_leads") > 0 {
		role = "leads"
	}
	return fmt.Sprintf("%s; this node %s, term %d; %s",
		f.fields["cluster_state"], role, f.number("cluster_term"), f.answering())
}

// master is "" for a server that follows nobody.
func (f *facts) master() string {
	if !f.moves() {
		return ""
	}
	state := fmt.Sprintf("%s:%s, link %s", f.fields["master_host"], f.fields["master_port"],
		f.fields["master_link_status"])
	if f.number("master_sync_in_progress") > 0 {
		state += fmt.Sprintf(", full copy: %s %%, %d of %d keys", f.fields["master_sync_perc"],
			f.number("master_sync_keys"), f.number("master_sync_total_keys"))
	}
	return fmt.Sprintf("%s, offset %d, last byte %d s ago; left out: %s", state,
		f.number("slave_repl_offset"), f.number("master_last_io_seconds_ago"),
		cmp.Or(f.fields["master_left_out"], "nothing"))
}

// moves reports whether the server follows another one, as a replica of Redis.
func (f *facts) moves() bool {
	return f.fields["role"] == "slave" && (f.fields["cluster_state"] == "" || f.number("cluster_leads") > 0)
}

// leases is "" for a server whose limits nobody leases.
func (f *facts) leases() string {
	for _, m := range f.members("leases") {
		if sidecars := f.number("connected_sidecars"); sidecars+m.number("asks") > 0 {
			return fmt.Sprintf("%d sidecars; %d units leased in %d questions, %d given back",
				sidecars, m.number("granted"), m.number("asks"), m.number("returned"))
		}
	}
	return ""
}

// hub is "" for a server that is no sidecar.
func (f *facts) hub() string {
	if f.fields["upstream"] == "" {
		return ""
	}
	state := "does not answer in time"
	if f.hubAnswers() {
		state = "answers within " + span(time.Duration(f.number("hub_lag_usec"))*time.Microsecond)
	}
	return fmt.Sprintf("%s %s; of %d units leased %d spent, %d given back, %d stranded; "+
		"%d passed, %d refused here",
		f.fields["upstream"], state, f.number("leased"), f.number("spent"), f.number("returned"),
		f.number("stranded"), f.number("passed"), f.number("refused_locally")) + f.charges()
}

// charges is "" for a sidecar that has charged nothing.
func (f *facts) charges() string {
	charged, again, never := f.number("charged"), f.number("recharged"), f.number("uncharged")
	if charged+again+never == 0 {
		return ""
	}
	return fmt.Sprintf("; %d units charged, %d sent again, %d never charged", charged, again, never)
}

// hubAnswers reports whether the hub of a sidecar answers it.
func (f *facts) hubAnswers() bool { return f.number("hub_up") > 0 }

// answering says how many nodes of the cluster this node hears.
func (f *facts) answering() string {
	return fmt.Sprintf("%d of %d nodes answer", f.number("cluster_nodes_healthy"), f.number("cluster_nodes"))
}

// span shows a duration with two or three digits.
func span(d time.Duration) string {
	switch {
	case d < time.Millisecond:
		return d.Round(time.Microsecond).String()
	case d < time.Second:
		return d.Round(100 * time.Microsecond).String()
	case d < 48*time.Hour:
		return d.Round(time.Second).String()
	}
	return fmt.Sprintf("%d days", int(d.Hours()/24))
}

// times says how often something happened.
func times(n int64) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times", n)
}

// share shows a part as a percentage.
func share(part, whole int64) string {
	if whole == 0 {
		return "0 %"
	}
	return fmt.Sprintf("%.1f %%", 100*float64(part)/float64(whole))
}

// quoted shows a text without characters that control a terminal.
func quoted(text string) string { return fmt.Sprintf("%q", text) }

// short cuts a long text.
func short(text string) string {
	const longest = 60
	if runes := []rune(text); len(runes) > longest {
		return string(runes[:longest]) + "…"
	}
	return text
}
