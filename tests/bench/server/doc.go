// Package server runs server processes for the bench, and measures what they use.
//
// The way through the files: server.go starts and stops a server. client.go is a connection to the server, and job.go
// runs its background jobs. place.go chooses the cores of the bench itself. system_linux.go and procfs.go read processor time and
// memory. noise.go observes other processes, and repeats a disturbed measurement.
//
// Invariants: a server listens on 127.0.0.1 only, runs on the given cores, and ends with the context. On systems other
// than Linux nothing is measured (system_other.go).
//
// There are no locks: one goroutine uses a server and its client.
package server
