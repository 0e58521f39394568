// Package source brings the rules to the service: from files, or from an xDS server.
//
// loader.go takes what a source has, and keeps the old rules if the new ones are bad. extra.go adds a
// second file. files.go reads the files, and watch.go reads them again when they change. xds.go speaks
// with an xDS server, and backoff.go says how long it waits between connections.
//
// Invariants: a set of rules is used whole, or not at all. A bad set is an error in the log and in the
// metrics. So is a folder that goes away, which only the start may lack. Files are read in the order of
// their names.
//
// One lock of a loader guards what it has loaded. Each source runs in one goroutine.
package source
