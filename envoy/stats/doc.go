// Package stats counts what the rate limit service decides, under the names that its users know.
//
// rule.go has the counters of a rule. registry.go holds all counters, and bounds them. timer.go measures
// requests. names.go cleans names. flush.go sends the counters to a sink. dogstatsd.go is one of the sinks.
// prometheus.go and mapping.yaml give them the names and labels of Prometheus.
//
// Invariants: a client makes at most maxDynamic keys and maxUnknown domains. The hits of more of them count
// under the rule's own key, or under "other". A counter that is flushed never sends a hit twice.
//
// Each of Registry and Timer has a lock, which guards its fields. Counters are atomic.
package stats
