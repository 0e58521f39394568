// Package contest measures workloads on servers, side by side.
//
// The way through the files: contest.go measures sides in turn and computes ratios. measure.go measures one
// side. workload.go lists the main workloads, limiterload.go those of the other limiters, and permits.go
// those of CL.ACQUIRE and CL.ENTER. web.go lists those over HTTP, and serves a bare handler. fill.go creates
// their keys. options.go has the settings of the command line, and the servers.
//
// Invariants: a measurement counts only if the server's own counters say that it executed every command
// without an error. A bare handler has no counters, so only its replies are checked. All sides of a
// comparison have the same pipeline, connections and duration.
//
// There are no locks: one measurement runs at a time.
package contest
