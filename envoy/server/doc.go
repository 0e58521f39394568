// Package server has the listeners of the rate limit service: gRPC, HTTP, debugging and Prometheus.
//
// server.go opens and closes the listeners. grpc.go has the gRPC server. arrivals.go bounds the messages
// that are not whole. health.go says whether the service can answer. json.go has the paths of HTTP.
// debug.go has those for debugging.
//
// Invariants: nothing that one client sends is read without a bound. A server that stops says so in its
// health first, and lets the requests end that it has.
//
// The lock of arrivals guards all fields of arrivals and of each arrival. Who holds it takes no lock of gRPC.
package server
