// Package load puts load on a server: connections that run scripts, or redis-benchmark.
//
// The way through the files: drive.go runs scripts on connections. Each script writes requests and the
// expected replies (request.go). redisbenchmark.go runs redis-benchmark and reads its report. Both ways
// return a sample (request.go).
//
// Invariants: a load is a closed loop, so a connection has one pipeline in flight. A wrong reply ends the
// load with an error.
//
// There are no locks: each connection has a goroutine, its own script and its own results.
package load
