// Package report describes the server as text: the sections of INFO, metrics for
// Prometheus, and CL.STATUS.
//
//	report.go       the sources of a report; samples of rates and peaks
//	info.go         the sections of INFO, and the format of fields
//	info_server.go  server, clients, memory, CPU, keyspace
//	info_cluster.go  replication and cluster
//	info_replica.go  a server that follows another one
//	info_stats.go   statistics of commands, errors and latencies
//	adaptive.go     adaptive limits, in INFO, as metrics and for the page
//	info_limits.go  decisions of limiters and rules
//	sidecar.go      what INFO and the metrics show of a sidecar
//	process.go      what INFO shows of the process
//	metrics.go      metrics of the server
//	metrics_limits.go  metrics of limiters and rules
//	metrics_cluster.go  metrics of the cluster
//	status.go       CL.STATUS: the numbers of the page, as JSON
//	parts.go        the parts of CL.STATUS
//	exposition.go   the text format of Prometheus
//
// exposition.go does not use a library. For 3,600 samples client_golang takes three to five times as long,
// and makes the program 2.0 MB (13 %) larger. VictoriaMetrics/metrics takes as long, and has neither help
// texts nor escapes for labels. tests/watching reads the text with the parser and the linter of Prometheus.
//
// Dashboards and clients read INFO. So INFO has all fields of Redis. A field without a meaning in this
// server has the value of an idle Redis.
//
// Invariants: the texts have a bounded size. The numbers of commands, rules and databases are
// bounded, and metrics-top-keys bounds the number of keys.
//
// Locks: no locks of its own. It reads one source after the other.
package report
