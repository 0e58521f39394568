// Package contest measures workloads on servers, side by side.
//
// The way through the files: measure.go measures sides in turn and computes ratios; others.go knows the
// processor times. A side is a workload (workload.go) on a server (server.go), or on several ones
// (cluster.go). drive.go puts the load on it. fill.go creates keys, and web.go has checks over HTTP and a
// bare handler. options.go has the settings of the command line. program.go lets the helpers of tests run
// in a program.
//
// Invariants: every reply is checked, and a wrong one ends the program. A load is a closed loop, so a
// connection has one pipeline in flight. A process listens on 127.0.0.1 only, and ends with this program.
//
// There are no locks: one measurement runs at a time, and each connection has its own script and results.
package contest
