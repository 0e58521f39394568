package report

import (
	"fmt"
	"strings"

	"cellserver/internal/topology"
)

// section is one section of INFO.
type section struct {
	title    string // the name of the section in arguments of INFO, in any case
	optional bool   // not a default section
	sidecar  bool   // only a sidecar has it
	write    func(r *Report, t *text, now int64)
}

// sections are the sections of INFO in their order.
var sections = []section{
	{title: "Server", write: (*Report).infoServer},
	{title: "Clients", write: (*Report).infoClients},
	{title: "Memory", write: (*Report).infoMemory},
	{title: "Persistence", write: func(r *Report, t *text, _ int64) { r.Disk.Info(t.add) }},
	{title: "Stats", write: (*Report).infoStats},
	{title: "Replication", write: (*Report).infoReplication},
	{title: "CPU", write: (*Report).infoCPU},
	{title: "Modules", write: func(*Report, *text, int64) {}},
	{title: "Commandstats", optional: true, write: (*Report).infoCommandStats},
	{title: "Errorstats", write: (*Report).infoErrorStats},
	{title: "Latencystats", optional: true, write: (*Report).infoLatencyStats},
	{title: "Cluster", write: (*Report).infoCluster},
	{title: "Throttle", write: (*Report).infoThrottle},
	{title: "Sidecar", sidecar: true, write: (*Report).infoSidecar},
	{title: "Cellserver", write: (*Report).infoCellserver},
	{title: "Keyspace", write: (*Report).infoKeyspace},
}

// Info implements [commands.Report].
func (r *Report) Info(now int64, door topology.Door, wanted func(title string, optional bool) bool) string {
	t := text{door: door}
	for i := range sections {
		s := &sections[i]
		if !wanted(s.title, s.optional) || s.sidecar && r.Process.Sidecar == nil {
			continue
		}
		if t.Len() > 0 {
			t.WriteString("\r\n")
		}
		t.WriteString("# " + s.title + "\r\n")
		s.write(r, &t, now)
	}
	return t.String()
}

// text builds the text of INFO.
type text struct {
	strings.Builder
	door topology.Door // of the reader
}

// add writes a field. The value must not have line breaks.
func (t *text) add(name string, value any) { fmt.Fprintf(t, "%s:%v\r\n", name, value) }

// zeros writes fields of Redis that are always 0 in this server.
func (t *text) zeros(names ...string) {
	for _, name := range names {
		t.add(name, 0)
	}
}

// bytes writes a number of bytes twice: as a number and in a readable unit.
func (t *text) bytes(name string, n int64) {
	t.add(name, n)
	t.add(name+"_human", humanBytes(n))
}

// ratio writes a quotient with two decimals. A quotient by 0 is 0.00.
func (t *text) ratio(name string, part, whole int64, unit string) {
	q := 0.0
	if whole != 0 {
		q = float64(part) / float64(whole)
	}
	if unit == "%" {
		q *= 100
	}
	t.add(name, fmt.Sprintf("%.2f%s", q, unit))
}

// humanBytes formats a number of bytes in the largest unit that gives at least 1, as Redis does.
func humanBytes(n int64) string {
	if n < 1024 {
		return fmt.Sprintf("%dB", n)
	}
	f, unit := float64(n)/1024, 0
	const units = "KMGTPE"
	for f >= 1024 {
		f /= 1024
		unit++
	}
	return fmt.Sprintf("%.2f%c", f, units[unit])
}
