package report

import (
	"strings"
	"time"

	"cellserver/commands"
	"cellserver/sidecar/account"
)

// Sidecar is what a sidecar says about its work. All totals are since its start.
type Sidecar struct {
	Mode     string
	Hub      []string // the addresses of its nodes
	Up       bool     // the hub answers in time
	Lag      time.Duration
	Accounts int   // limits that the sidecar remembers
	Lost     int64 // requests that the hub did not answer, so upstream-lost decided
	account.Figures
}

// infoSidecar shows the leases of a sidecar.
func (r *Report) infoSidecar(t *text, _ int64) {
	s := r.Process.Sidecar()
	t.add("upstream", strings.Join(s.Hub, ","))
	t.add("upstream_mode", s.Mode)
	t.add("hub_up", commands.Bit(s.Up))
	t.add("hub_lag_usec", s.Lag.Microseconds())
	t.add("leased", s.Leased)
	t.add("spent", s.Spent)
	t.add("returned", s.Returned)
	t.add("stranded", s.Stranded)
	t.add("charged", s.Charged)
	t.add("recharged", s.Repeated)
	t.add("uncharged", s.Uncharged)
	t.add("passed", s.Passed)
	t.add("refused_locally", s.Refused)
	t.add("lost", s.Lost)
	t.add("asks", s.Asks)
	t.add("accounts", s.Accounts)
}

// metricsSidecar shows the same numbers.
func (r *Report) metricsSidecar(x *exposition) {
	if r.Process.Sidecar == nil {
		return
	}
	s := r.Process.Sidecar()
	x.one(x.gauge, "sidecar_hub_up",
		float64(commands.Bit(s.Up)), "1 while the hub answers this sidecar in time, else 0.")
	x.one(x.gauge, "sidecar_hub_lag_seconds", s.Lag.Seconds(), "Time that the hub took for its last answer.")
	x.counter("sidecar_units_total", "Units of limits by what happened to them: leased, spent, returned to "+
		"the hub, or stranded (lost with the end of their lease). With upstream-mode report: spent, charged "+
		"at the hub, recharged because no reply came, or uncharged (the hub refused).")
	x.add(float64(s.Leased), "outcome", "leased")
	x.add(float64(s.Spent), "outcome", "spent")
	x.add(float64(s.Returned), "outcome", "returned")
	x.add(float64(s.Stranded), "outcome", "stranded")
	x.add(float64(s.Charged), "outcome", "charged")
	x.add(float64(s.Repeated), "outcome", "recharged")
	x.add(float64(s.Uncharged), "outcome", "uncharged")
	x.counter("sidecar_requests_total", "Requests that no unit of a lease allowed: passed to the hub, "+
		"refused here, or lost (the hub did not answer).")
	x.add(float64(s.Passed), "outcome", "passed")
	x.add(float64(s.Refused), "outcome", "refused")
	x.add(float64(s.Lost), "outcome", "lost")
	x.one(x.counter, "sidecar_asks_total", float64(s.Asks), "Questions for a lease, and charges.")
	x.one(x.gauge, "sidecar_accounts",
		float64(s.Accounts), "Limits that the sidecar remembers: upstream-keys at most.")
}
