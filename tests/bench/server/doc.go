// Package server runs server processes for the bench, and measures what they use.
//
// The way through the files: server.go starts and stops a server, and chooses the cores of the bench itself.
// client.go is a connection to the server. system.go and procfs.go read processor time and memory. noise.go
// observes other processes, and repeats a disturbed measurement.
//
// Invariants: a server listens on 127.0.0.1 only, runs on the given cores, and ends with the context.
// Without the files of Linux in /proc, nothing is measured.
//
// There are no locks: one goroutine uses a server and its client.
package server
