// Package rules gives limits a name. A rule is one limiter or several, with their numbers. They
// decide together: all pass, or none does.
//
//	rule.go   one rule: its text, its limits, the keys that hold their state
//	keys.go   the names of those keys
//	rules.go  all rules in force, and their counters
//	edit.go   CL.RULE SET, OVERRIDE, GET, DEL and LIST
//	override.go  overrides: limits of single keys
//	file.go   the rules-file; file_override.go its overrides
//	json.go   rules in JSON
//	source.go the state of the rules-file or the rules-url
//	check.go  CL.CHECK: one request to a rule
//	plan.go   which keys a request reads
//	prefetched.go   plans of the next requests of a pipeline
//	checks.go CL.MCHECK: one request to several rules
//	explain.go   CL.EXPLAIN: the numbers and the state of every limit
//	reserve.go   CL.RESERVE and CL.SETTLE
//	bucket.go the buckets of reservations
//	release.go   giving back reservations that no client settles
//	recording.go   the last requests to a rule, while somebody tries other numbers
//	trial.go  CL.RULE TRY: what other numbers would have refused
//	dryrun.go deciding about copies, while reservations have to be given back
//
// Rules have two sources. CL.RULE SET stores rules in the string key cl.rules of database 0, one
// rule in each line. So they are saved, logged, dumped and flushed like any key. The rules-file is
// YAML. A rule of the key replaces a rule of the file with the same name.
//
// Invariants: a rule never changes; a change makes a new rule. The parsed rules are those of the
// committed key. A request that ends in an error has changed nothing.
//
// Locks: the partition of cl.rules guards the key. A goroutine holds that partition while it parses
// the key, and while it drops the parsed rules after a commit. Rules.mu guards the counters, and is
// taken inside it. The mu of a recording is the innermost lock. Rules.trying is held during a replay, which has a
// store of its own.
package rules
