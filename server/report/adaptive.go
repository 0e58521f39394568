package report

import (
	"fmt"
	"strconv"

	"cellserver/limiters/adaptive"
	"cellserver/server/meters"
)

// mostAdaptive is how many adaptive limits INFO shows: those that refuse most.
const mostAdaptive = 10

// infoAdaptive shows the adaptive limits that have refused most callers on this node.
func (r *Report) infoAdaptive(t *text) {
	for _, one := range r.Stats.Meters.MostRefused(mostAdaptive) {
		m := &one.Meter
		t.add("adaptive:"+strconv.Quote(one.Key), fmt.Sprintf(
			"db=%d,algorithm=%s,limit=%d,inflight=%d,latency_us=%d,refused=%d",
			one.DB, m.Algorithm, m.Limit, m.Calls, m.Last/1000, m.Denied))
	}
}

// adaptiveMetrics has the metrics of an adaptive limit, and their values.
var adaptiveMetrics = []struct {
	name, help string
	counts     bool
	of         func(*meters.Watched) float64
}{
	{"adaptive_limit", "Calls that may be under way (CL.ENTER), of the keys in adaptive-metrics-keys.", false,
		func(w *meters.Watched) float64 { return float64(w.Meter.Limit) }},
	{"adaptive_least", "The least that the limit may be.", false,
		func(w *meters.Watched) float64 { return float64(w.Meter.Least) }},
	{"adaptive_inflight", "Calls under way at the end of the last window.", false,
		func(w *meters.Watched) float64 { return float64(w.Meter.Calls) }},
	{"adaptive_base_seconds", "Latency of the service without a queue, as the algorithm sees it.", false,
		func(w *meters.Watched) float64 { return float64(w.Base) / 1e9 }},
	{"adaptive_latency_seconds", "Mean latency of the last window with enough samples.", false,
		func(w *meters.Watched) float64 { return float64(w.Meter.Last) / 1e9 }},
	{"adaptive_refused_total", "Callers that the limit turned away.", true,
		func(w *meters.Watched) float64 { return float64(w.Refused) }},
	{"adaptive_drops_total", "Calls that ended with DROP.", true,
		func(w *meters.Watched) float64 { return float64(w.Drops) }},
}

// metricsAdaptive shows the adaptive limits that the configuration lists.
func (r *Report) metricsAdaptive(x *exposition) {
	watched := r.Stats.Meters.WatchedKeys()
	if len(watched) == 0 {
		return
	}
	for _, one := range adaptiveMetrics {
		begin := x.gauge
		if one.counts {
			begin = x.counter
		}
		begin(one.name, one.help)
		for i := range watched {
			x.add(one.of(&watched[i]), "key", watched[i].Key)
		}
	}
	x.counter("adaptive_windows_total", "Windows by what they did to the limit.")
	for i := range watched {
		for result := adaptive.Short; int(result) < len(adaptive.Results); result++ {
			n := watched[i].Windows[result]
			x.add(float64(n), "key", watched[i].Key, "result", adaptive.Results[result])
		}
	}
}

// adaptiveNow is an adaptive limit that the page shows, with its last hour.
type adaptiveNow struct {
	Name      string `json:"name"`
	Algorithm string `json:"algorithm"`
	Limit     int32  `json:"limit"`
	Least     int32  `json:"least"`
	InFlight  int32  `json:"inflight"`
	BaseUS    int64  `json:"base_us"`
	LatencyUS int64  `json:"latency_us"`
	Refused   int64  `json:"refused"`
	// Points has five numbers for each minute: limit, calls, base and latency in microseconds, refused.
	Points [][5]int64 `json:"points"`
}

// adaptiveNow returns the adaptive limits that the configuration lists.
func (r *Report) adaptiveNow() []adaptiveNow {
	all := []adaptiveNow{}
	for _, w := range r.Stats.Meters.WatchedKeys() {
		m := &w.Meter
		one := adaptiveNow{
			w.Key, m.Algorithm.String(), m.Limit, m.Least, m.Calls, w.Base / 1000, m.Last / 1000, w.Refused,
			[][5]int64{},
		}
		for _, p := range w.Points {
			point := [...]int64{p.Limit, p.Calls, p.Base / 1000, p.Latency / 1000, p.Refused}
			one.Points = append(one.Points, point)
		}
		all = append(all, one)
	}
	return all
}
