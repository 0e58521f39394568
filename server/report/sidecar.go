package report

import (
	"strings"
	"time"

	"cellserver/commands"
)

// Sidecar is what a sidecar says about its work. All totals are since its start.
type Sidecar struct {
	Mode     string
	Hub      []string // the addresses of its nodes
	Up       bool     // the hub answers
	Lag      time.Duration
	Accounts int // limits that the sidecar remembers
	Asks     int64
	Units    Units
	Charges  Charges
	Requests Requests
}

// Units are units of limits that leases had.
type Units struct{ Leased, Spent, Returned, Stranded int64 }

// Charges are units of the mode report.
type Charges struct {
	Charged   int64 // the hub has counted them
	Repeated  int64 // sent again, because no reply came
	Uncharged int64 // the hub has refused to count them
}

// Requests are requests of limiters. Those that leases allowed are the spent units.
type Requests struct {
	Passed  int64 // the hub decided
	Refused int64 // refused here
	Lost    int64 // the hub did not answer, and upstream-lost decided
}

// infoSidecar shows the leases of a sidecar.
func (r *Report) infoSidecar(t *text, _ int64) {
	s := r.Process.Sidecar()
	t.add("upstream", strings.Join(s.Hub, ","))
	t.add("upstream_mode", s.Mode)
	t.add("hub_up", commands.Bit(s.Up))
	t.add("hub_lag_usec", s.Lag.Microseconds())
	t.add("leased", s.Units.Leased)
	t.add("spent", s.Units.Spent)
	t.add("returned", s.Units.Returned)
	t.add("stranded", s.Units.Stranded)
	t.add("charged", s.Charges.Charged)
	t.add("recharged", s.Charges.Repeated)
	t.add("uncharged", s.Charges.Uncharged)
	t.add("passed", s.Requests.Passed)
	t.add("refused_locally", s.Requests.Refused)
	t.add("lost", s.Requests.Lost)
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
		float64(commands.Bit(s.Up)), "1 while the hub answers this sidecar, else 0.")
	x.one(x.gauge, "sidecar_hub_lag_seconds", s.Lag.Seconds(), "Time that the hub took for its last answer.")
	x.counter("sidecar_units_total", "Units of limits by what happened to them: leased, spent, returned to "+
		"the hub, or stranded (lost with the end of their lease). With upstream-mode report: spent, charged "+
		"at the hub, recharged because no reply came, or uncharged (the hub refused).")
	x.add(float64(s.Units.Leased), "outcome", "leased")
	x.add(float64(s.Units.Spent), "outcome", "spent")
	x.add(float64(s.Units.Returned), "outcome", "returned")
	x.add(float64(s.Units.Stranded), "outcome", "stranded")
	x.add(float64(s.Charges.Charged), "outcome", "charged")
	x.add(float64(s.Charges.Repeated), "outcome", "recharged")
	x.add(float64(s.Charges.Uncharged), "outcome", "uncharged")
	x.counter("sidecar_requests_total", "Requests that no unit of a lease allowed: passed to the hub, "+
		"refused here, or lost (the hub did not answer).")
	x.add(float64(s.Requests.Passed), "outcome", "passed")
	x.add(float64(s.Requests.Refused), "outcome", "refused")
	x.add(float64(s.Requests.Lost), "outcome", "lost")
	x.one(x.counter, "sidecar_asks_total", float64(s.Asks), "Questions for a lease, and charges.")
	x.one(x.gauge, "sidecar_accounts",
		float64(s.Accounts), "Limits that the sidecar remembers: upstream-keys at most.")
}
