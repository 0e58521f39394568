// Package realtest sends HTTP through a real Envoy that asks our service. It has tests only.
//
// The script fetch downloads the Envoy. With -tags theirs, the tests also compare our answers, errors and
// metrics with those of envoyproxy/ratelimit, which the module theirs names. They need a redis-server and
// some minutes.
//
// Invariant: every program ends with its test.
//
// It has no locks.
package realtest
