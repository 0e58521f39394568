// Command bench measures cellserver beside redis-server. Unless a mode says otherwise, one server at a time
// runs on one core, and the load on another core. tests/bench/run builds both programs and explains the
// usage.
//
// The way through the files: main.go reads the command line, and its table of modes names the function of
// each mode. A mode measures sides ([cellserver/tests/bench/contest]) and returns sections of the report
// (report.go), each with a table (table.go) and plots (svg.go). The files of the modes:
//
//   - throughput.go: quick, full and limiters
//   - memory.go and adaptive.go ([cellserver/tests/bench/adaptive]): the mode of the same name
//   - cluster.go: cluster, on deployments of several processes
//   - sidecar.go: sidecar, on a hub and eight sidecars; far.go puts the hub away
//   - targets.go: targets, which compares processor times with their bounds
//
// Everything smaller is a benchmark of its package: go test -bench, and benchstat to compare two of its
// outputs.
//
// Invariants: the sides of a ratio take turns, so that other work of the machine affects all sides alike. A
// measurement during which other processes used more than a tenth of a core is repeated. A new section of
// the report replaces the section of the same name, and names no machine and no path.
//
// There are no locks: one measurement runs at a time.
package main
