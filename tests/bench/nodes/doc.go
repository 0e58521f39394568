// Package nodes runs deployments of several processes for the bench: a cluster of cellserver, and Redis with
// a replica.
//
// The way through the files: process.go starts and kills one process. cluster.go has the nodes of a
// deployment, and waits until they are healthy. clients.go has clients that write, follow the leader, and
// know the longest time without a reply.
//
// Invariants: a process listens on 127.0.0.1 only, and ends with the context. A kill is kill -9.
//
// # Locks
//
// writer.mu guards the times of one client. Everything else belongs to one goroutine.
package nodes
