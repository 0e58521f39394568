package commands

import (
	"fmt"
	"slices"
	"strings"
)

// INFO [section ...] describes the server as text: sections under "# Title", a line
// "field:value" for each field. Without arguments it gives the default sections, for
// "all" and "everything" every one. Dashboards and client libraries read it, so fields
// of Redis that mean nothing here are there all the same, as they are in a Redis at rest.
var _ = register(&Command{
	Name: "info", Arity: -1, Flags: Loading | Stale, Group: ServerGroup, Since: "1.0.0", Run: info,
	Tips:    []string{"nondeterministic_output", "request_policy:all_shards", "response_policy:special"},
	Summary: "Get information and statistics about the server", Usage: "[section [section ...]]", Complexity: "O(1)",
	Categories: []string{"dangerous"},
})

// infoSection is one section of INFO.
type infoSection struct {
	title    string // its name is the title in lower case
	optional bool   // not among the default ones
	write    func(s *Server, r *infoReport, now int64)
}

// infoSections are all of them, in the order in which they are shown.
var infoSections = []infoSection{
	{title: "Server", write: infoServer},
	{title: "Clients", write: infoClients},
	{title: "Memory", write: infoMemory},
	{title: "Persistence", write: infoPersistence},
	{title: "Stats", write: infoStats},
	{title: "Replication", write: infoReplication},
	{title: "CPU", write: infoCPU},
	{title: "Modules", write: func(*Server, *infoReport, int64) {}},
	{title: "Commandstats", optional: true, write: infoCommandStats},
	{title: "Errorstats", write: infoErrorStats},
	{title: "Latencystats", optional: true, write: infoLatencyStats},
	{title: "Cluster", write: infoCluster},
	{title: "Throttle", write: infoThrottle},
	{title: "Cellserver", write: infoCellserver},
	{title: "Keyspace", write: infoKeyspace},
}

func info(c *Call) error {
	wanted := func(s *infoSection) bool { return !s.optional }
	if len(c.Args) > 1 {
		wanted = func(s *infoSection) bool { return slices.ContainsFunc(c.Args[1:], s.isMeant) }
	}
	var r infoReport
	for i := range infoSections {
		s := &infoSections[i]
		if !wanted(s) {
			continue
		}
		if r.Len() > 0 {
			r.WriteString("\r\n")
		}
		r.WriteString("# " + s.title + "\r\n")
		s.write(c.Server, &r, c.Now)
	}
	c.Out.Verbatim("txt", r.String())
	return nil
}

// isMeant reports whether an argument of INFO asks for the section.
func (s *infoSection) isMeant(arg []byte) bool {
	switch {
	case is(arg, "all"), is(arg, "everything"):
		return true
	case is(arg, "default"):
		return !s.optional
	}
	return is(arg, strings.ToLower(s.title))
}

// infoReport is the text of INFO as it grows.
type infoReport struct{ strings.Builder }

// add writes a field. The text of a value has no line breaks.
func (r *infoReport) add(name string, value any) { fmt.Fprintf(r, "%s:%v\r\n", name, value) }

// zeros writes fields of Redis that are always 0 here.
func (r *infoReport) zeros(names ...string) {
	for _, name := range names {
		r.add(name, 0)
	}
}

// bytes writes a number of bytes, for machines and for people.
func (r *infoReport) bytes(name string, n int64) {
	r.add(name, n)
	r.add(name+"_human", humanBytes(n))
}

// ratio writes a quotient with two decimals, 0.00 of nothing.
func (r *infoReport) ratio(name string, part, whole int64, unit string) {
	q := 0.0
	if whole != 0 {
		q = float64(part) / float64(whole)
	}
	if unit == "%" {
		q *= 100
	}
	r.add(name, fmt.Sprintf("%.2f%s", q, unit))
}

// humanBytes writes a number of bytes in the largest unit that leaves something before
// the point, as Redis does.
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
