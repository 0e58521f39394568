// Package config is the server's configuration as data. One table of directives drives redis.conf, the
// command line, the environment, CONFIG GET and SET, and docs/configuration.md.
//
// Names, values, bounds and error texts are those of Redis 7.0. So a redis.conf, a deployment script or a
// client tool that was written for Redis works.
//
// # The way through
//
//	config.go        Config: the values, and the types of some of them
//	cluster.go       the values of a cluster, and how they fit together
//	upstream.go      the values and the rows of a sidecar
//	replication.go   the values and the rows of a server that follows another one
//	http.go          the values and the rows of limits over HTTP
//	listeners.go     the ports, of which no two are one
//	directive.go     Directive: one row of the table
//	faillimit.go     the value of auth-fail-limit
//	rows_*.go        the rows, by group; rows_inert.go has those of Redis that have no effect here
//	outputlimits.go   values of several numbers
//	table.go         the table; Get, Set and Lookup by name
//	usage.go         the text of --help; docs/configuration.md comes from markdown_test.go
//	summaries.json   what each directive is for
//
// Package value parses the values. Package configload reads redis.conf, the command line and the environment.
//
// # Adding a directive
//
// Add a field to Config, a row to a rows_*.go file, and its words to summaries.json. Then run
// go generate ./internal/config, which writes docs/configuration.md.
//
// # Invariants
//
//   - A published Config never changes: CONFIG SET clones it, and publishes the clone.
//   - Every directive accepts the value that CONFIG GET shows, and then shows the same value.
//   - A value that is refused changes nothing.
//
// There are no locks: the table never changes, and a published Config does not, either.
package config

//go:generate go test . -run TestReferenceIsCurrent -update
