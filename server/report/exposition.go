package report

import (
	"math"
	"strconv"
	"strings"

	"cellserver/server/stats"
)

// exposition is a text of metrics in Prometheus's format 0.0.4, while it is written.
//
// Source: https://prometheus.io/docs/instrumenting/exposition_formats/#text-based-format
type exposition struct {
	strings.Builder
	name string // of the family that is being written
}

// MetricsType is the media type of [commands.Report.Metrics].
const MetricsType = "text/plain; version=0.0.4; charset=utf-8"

// counter and gauge begin a family of metrics.
func (x *exposition) counter(name, help string) { x.family(name, "counter", help) }
func (x *exposition) gauge(name, help string)   { x.family(name, "gauge", help) }

func (x *exposition) family(name, kind, help string) {
	x.name = "cellserver_" + name
	x.WriteString("# HELP " + x.name + " " + help + "\n# TYPE " + x.name + " " + kind + "\n")
}

// add writes a sample of the family; labels are names and values in turn.
func (x *exposition) add(value float64, labels ...string) { x.sample("", value, labels) }

func (x *exposition) sample(suffix string, value float64, labels []string) {
	x.WriteString(x.name + suffix)
	for i := 0; i < len(labels); i += 2 {
		if i == 0 {
			x.WriteByte('{')
		} else {
			x.WriteByte(',')
		}
		x.WriteString(labels[i] + `="` + labelValue(labels[i+1]) + `"`)
	}
	if len(labels) > 0 {
		x.WriteByte('}')
	}
	x.WriteString(" " + metricNumber(value) + "\n")
}

// one writes a family that is a single sample.
func (x *exposition) one(begin func(name, help string), name string, value float64, help string) {
	begin(name, help)
	x.add(value)
}

// metricNumber writes a number with as few digits as restore it. Whole numbers have no
// exponent.
func metricNumber(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
		return strconv.FormatInt(int64(v), 10)
	}
	return strconv.FormatFloat(v, 'g', -1, 64)
}

var labelEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`)

// labelValue is a text as the value of a label, which must be UTF-8.
func labelValue(s string) string { return labelEscapes.Replace(strings.ToValidUTF8(s, "\uFFFD")) }

// histogram writes the durations of the commands that were called, in seconds. Every
// second power of two is enough for a picture: [stats.Counters] has finer ones.
func (x *exposition) histogram(st *stats.Counters, labels ...string) {
	n, all := int64(0), [stats.Buckets]int64{}
	for i := range all {
		all[i] = st.Took[i].Load()
	}
	for i, calls := range all {
		n += calls
		if octave := i / 4; i%4 == 3 && octave%2 == 1 && octave <= shownOctaves {
			x.sample("_bucket", float64(n), append(labels, "le", metricNumber(float64(stats.BucketEnd(i))/1e9)))
		}
	}
	x.sample("_bucket", float64(n), append(labels, "le", "+Inf"))
	x.sample("_sum", float64(st.Nanos.Load())/1e9, labels)
	x.sample("_count", float64(n), labels)
}

// shownOctaves is where the buckets of a histogram end: at about a second.
const shownOctaves = 21
