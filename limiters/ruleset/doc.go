// Package ruleset gives limits a name. A rule is one limiter or several, with their numbers. Package
// limiters/rules decides by rules.
//
//	rule.go   one rule: its text, its limits, the keys that hold their state
//	keys.go   the names of those keys
//	words.go  limits in people's words
//	rules.go  all rules in force, and their counters
//	stored.go how rules are stored, and how their parsed form follows
//	own.go    the keys of the server's own database
//	ledger.go the ledgers of rules: what happens to TATs when numbers change
//	edit.go   CL.RULE SET, OVERRIDE, GET, DEL and LIST
//	override.go  overrides: limits of single keys; overrides.go all of a scope
//	networks.go   overrides whose keys are networks
//	file.go   the rules-file
//	yaml.go   reads YAML, and says what is wrong with it
//	news.go   what changed when rules came into force
//	json.go   rules in JSON
//	source.go the state of the rules-file or the rules-url
//	report.go what the rest of the server asks about all rules: their counters, memory, scopes and source
//	recording.go   the last requests to a rule, while somebody tries other numbers
//	trial.go  counts the decisions of a rule, and what a trial of other numbers asks about rules
//
// Rules have two sources. CL.RULE SET stores rules in the server's own database ([store.Own]), which no
// command of a client can name. So they are saved, logged and replicated like keys, and nothing flushes,
// evicts or expires them. The rules-file is YAML. A stored rule replaces a rule of the file with the same
// name.
//
// A change costs as much as what it changes. It writes one field. It copies the list of the rules, and
// for an override the 64th part of those of its scope. Other rules and overrides are neither parsed nor
// written again.
//
// Invariants: a rule never changes; a change makes a new rule. The parsed rules are those of the last
// commit. A transaction sees those that it has changed. Their memory has a bound ([MaxBytes]), and counts
// as used.
//
// Locks: one partition guards all stored rules ([Rules.Lock]). A goroutine holds it while it parses them,
// and while it publishes what a commit has changed. Requests read what is published without it. Rules.mu
// is taken inside it. The mu of a recording is the innermost lock.
package ruleset
