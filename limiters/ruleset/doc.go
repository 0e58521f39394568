// Package ruleset gives limits a name. A rule is one limiter or several, with their numbers. Package
// limiters/rules decides by rules.
//
//	rule.go   one rule: its text, its limits, the keys that hold their state
//	keys.go   the names of those keys
//	rules.go  all rules in force, and their counters
//	edit.go   CL.RULE SET, OVERRIDE, GET, DEL and LIST
//	override.go  overrides: limits of single keys
//	file.go   the rules-file; file_override.go its overrides
//	yaml.go   reads YAML, and says what is wrong with it
//	news.go   what changed when rules came into force
//	json.go   rules in JSON
//	source.go the state of the rules-file or the rules-url
//	recording.go   the last requests to a rule, while somebody tries other numbers
//
// Rules have two sources. CL.RULE SET stores rules in the string key cl.rules of database 0, one
// rule in each line. So they are saved, logged, dumped and flushed like any key. The rules-file is
// YAML. A rule of the key replaces a rule of the file with the same name.
//
// Invariants: a rule never changes; a change makes a new rule. The parsed rules are those of the
// committed key.
//
// Locks: the partition of cl.rules guards the key. A goroutine holds that partition while it parses
// the key, and while it drops the parsed rules after a commit. Rules.mu guards the counters, and is
// taken inside it. The mu of a recording is the innermost lock.
package ruleset
