// Package config reads the files of the rate limit service, and finds the rule for a descriptor.
//
// yaml.go parses one file. check.go checks its keys. xds.go makes the same of a message. rule.go has the
// rule, and how one is built. tree.go builds the tree of all files. match.go walks it. key.go writes the
// names of counters. wildcard.go matches patterns. extend.go adds what a second file says. dump.go prints
// the rules.
//
// Invariants: a Set never changes after it is built. A set of files is built whole, or there is an error
// and no Set. Two descriptors that differ have different counters, unless a rule shares its threshold.
// Errors have the texts that users of the service know.
//
// It has no locks.
package config
