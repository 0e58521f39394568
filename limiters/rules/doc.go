// Package rules gives limits a name. A rule is one limiter or several, with their numbers,
// which decide together: all pass or none does.
//
//	rule.go   a rule: its words, its limits, the keys that hold their state
//	rules.go  all rules that are in force, and their counters
//	edit.go   CL.RULE SET, GET, DEL and LIST
//	file.go   the rules-file
//	check.go  CL.CHECK: what one request to a rule does
//
// Rules come from two sources. CL.RULE SET keeps its rules in the string key cl.rules of
// database 0, one rule a line, so they are saved, logged, dumped and flushed like any key. The
// rules-file is YAML. A rule of the key replaces a rule of the file with the same name.
//
// Locks: the partition of cl.rules guards what is stored there. Whoever parses the key holds that
// partition, and so does whoever drops the parsed rules after a commit. Rules.mu guards the
// counters, and is the inner lock.
package rules
