// Package report describes the server as text: the sections of INFO, and metrics for
// Prometheus.
//
//	report.go       its sources, and what the edge asks of it
//	info.go         the sections of INFO, and how a field is written
//	info_server.go  server, clients, memory, replication, CPU, cluster, keyspace
//	info_stats.go   statistics of commands, errors and latencies
//	info_limits.go  decisions of limiters and rules
//	metrics.go      metrics of the server
//	metrics_limits.go  metrics of limiters and rules
//	exposition.go   the text format of Prometheus
//
// Dashboards and clients read INFO. So Redis's fields that mean nothing here are present, with
// the values of a Redis at rest.
//
// Invariants: whatever clients do, the texts stay of bounded size. The numbers of commands, rules
// and databases are bounded, and metrics-top-keys bounds the keys.
//
// Locks: none of its own; it reads its sources one after the other.
package report
