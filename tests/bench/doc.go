// Command bench measures cellserver beside redis-server. One server at a time runs on one core, the load on
// another core. tests/bench/run builds both programs and explains the usage.
//
// The way through the files: main.go reads the command line, and its table of modes names the function of
// each mode. A mode measures sides ([cellserver/tests/bench/contest]) and returns sections of the report
// ([cellserver/tests/bench/report]). The files of the modes:
//
//   - throughput.go: quick and full
//   - limiters.go and memory.go: the mode of the same name
//   - cluster.go: cluster, on deployments of several processes ([cellserver/tests/bench/nodes])
//   - sidecar.go: sidecar, on a hub and eight sidecars; far.go puts the hub away
//   - targets.go: targets, which compares processor times with their bounds
//
// Everything smaller is a benchmark of its package: go test -bench, and benchstat to compare two of its
// outputs.
//
// Invariants: the sides of a ratio take turns, so that other work of the machine affects all sides alike. A
// measurement during which other processes used more than a tenth of a core is repeated. Every reply is
// checked.
//
// There are no locks: one measurement runs at a time.
package main
