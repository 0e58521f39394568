package report

import (
	"math"
	"strconv"
	"strings"

	"cellserver/server/stats"
)

// exposition builds a text of metrics in the format 0.0.4 of Prometheus.
//
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
type exposition struct {
	strings.Builder
	name    string          // of the family that is being written
	written map[string]bool // its samples, with their labels
}

// MetricsType is the media type of [Report.Metrics].
const MetricsType = "text/plain; version=0.0.4; charset=utf-8"

// counter and gauge start a family of metrics.
func (x *exposition) counter(name, help string) { x.family(name, "counter", help) }
func (x *exposition) gauge(name, help string)   { x.family(name, "gauge", help) }

func (x *exposition) family(name, kind, help string) {
	x.name, x.written = "cellserver_"+name, map[string]bool{}
	x.WriteString("# HELP " + x.name + " " + help + "\n# TYPE " + x.name + " " + kind + "\n")
}

// add writes a sample of the family. labels are alternating names and values.
func (x *exposition) add(value float64, labels ...string) { x.sample("", value, labels) }

// sample leaves out a sample that the family has. Two texts may differ only in bytes that a label cannot
// hold. A scraper refuses a text with one sample twice, or takes one of the two.
func (x *exposition) sample(suffix string, value float64, labels []string) {
	name, sign := x.name+suffix, "{"
	for i := 0; i < len(labels); i += 2 {
		name += sign + labels[i] + `="` + labelValue(labels[i+1]) + `"`
		sign = ","
	}
	if len(labels) > 0 {
		name += "}"
	}
	if x.written[name] {
		return
	}
	x.written[name] = true
	x.WriteString(name + " " + metricNumber(value) + "\n")
}

// one writes a family with a single sample.
func (x *exposition) one(begin func(name, help string), name string, value float64, help string) {
	begin(name, help)
	x.add(value)
}

// metricNumber formats a number with the fewest digits that give the same number again. A whole
// number has no exponent.
func metricNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labelValue returns a text as the value of a label. The value must be UTF-8, so other bytes become
// U+FFFD.
func labelValue(s string) string { return labelEscapes.Replace(strings.ToValidUTF8(s, "\uFFFD")) }

// histogram writes the durations of the calls of a command, in seconds. It has a bucket for every
// second power of two. [stats.Counters] has more buckets.
func (x *exposition) histogram(st *stats.Counters, labels ...string) {
	n, all := int64(0), [stats.Buckets]int64{}
	for i := range all {
		all[i] = st.Took[i].Load()
	}
	for i, calls := range all {
		n += calls
		if octave := i / 4; i%4 == 3 && octave%2 == 1 && octave <= shownOctaves {
			x.sample("_bucket", float64(n), append(labels, "le",
				metricNumber(float64(stats.BucketEnd(i))/1e9)))
		}
	}
	x.sample("_bucket", float64(n), append(labels, "le", "+Inf"))
	x.sample("_sum", float64(st.Nanos.Load())/1e9, labels)
	x.sample("_count", float64(n), labels)
}

// shownOctaves is the last octave with a bucket of its own, at about a second.
const shownOctaves = 21
