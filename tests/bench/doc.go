// Command bench measures cellserver beside redis-server. One server at a time runs on one core, the load on another core.
// tests/bench/run builds both programs and explains the usage.
//
// The way through the files: main.go reads the command line, and its table of modes names the function of each mode. A
// mode measures sides ([cellserver/tests/bench/contest]) and returns sections of the report
// ([cellserver/tests/bench/report]). The files of the modes:
//
//   - throughput.go and throughputreport.go: quick and full
//   - cores.go, hotkey.go, limiters.go, scale.go and expiry.go: the mode of the same name
//   - types.go: types
//   - memory.go: memory and idle
//   - http.go: http, which compares with the program in barehttp
//   - persistence.go, with policies.go and rewrite.go: persistence
//   - cluster.go, with clusterload.go and clustergaps.go: cluster, on deployments of several processes
//     ([cellserver/tests/bench/nodes])
//   - targets.go, with targetchecks.go and verdict.go: targets, which compares the other measurements with their bounds;
//     gobench.go runs the micro-benchmarks of a package
//
// Invariants: the sides of a ratio take turns, so that other work of the machine affects all sides alike. A measurement
// during which other processes used more than a tenth of a core is repeated. Every reply is checked.
//
// There are no locks: one measurement runs at a time.
package main
