// Package app makes the parts of the server, connects them, and starts and stops them. It knows no flags, no
// signals and no exit codes, so that tests run whole servers in their own process.
//
// The files, from top to bottom. A file uses only files below it, except the first three: they use
// each other.
//
//	app.go           App and New: makes and connects the parts
//	run.go           Run: load, serve, drain, save; SHUTDOWN
//	configure.go     CONFIG SET: each part takes the new configuration, or refuses it
//	greeting.go      the text that main prints when the listeners and the data stand
//	background.go    the background rounds, and what each one does
//	expire.go        removes expired keys in the background
//	timeslice.go     how long the removal goes on before others run
//	reclaim.go       gives memory of removed values back to the system
//	heaplimit.go     runs the garbage collector early when the process nears maxmemory
//	persistence.go   the disk: snapshots and the append-only file
//	peers.go         admits connections; closes idle clients and slow readers
//	users.go         the aclfile
//	rules.go         the rules-file, and the copy of the rules of rules-url
//	metrics.go       metrics for Prometheus
//	http.go          limits over HTTP
//	keysecret.go     the secret of the keys that limits over HTTP make
//	health.go        /healthz and /readyz, on all listeners of HTTP
//	check.go         check-config, check-rules and cluster-check
//	cluster.go       the member of a cluster: its parts, its start and its end
//	clusterpeers.go  the listeners for other nodes, and for clients that a follower passes on
//	clusterrecover.go  a new cluster of one node, from its disk or from a file
//	bootid.go        which start of the kernel this is
//	sidecar.go       a sidecar: its hub, and what it has instead of keys
//	clusterclock.go  the time of a cluster
//	master.go        connects to the server that this one follows
//	clusterdisk.go   what BGREWRITEAOF means in a cluster
//	rewrite.go       CONFIG REWRITE
//	maxclients.go    maxclients, and the limit on open files
//	log.go           the log
//	process*.go      what the operating system knows of the process
//	version.go       the version of cellserver
//
// # Start and stop
//
// Package listen opens the listeners, and package files reads what directives name.
//
// New resolves dir, opens the log and reads the certificates. Then it makes the store, the disk and the
// server, reads the rules-file, and opens the listeners for clients and for metrics. From then on
// connections wait in the backlog, and the exporter answers.
//
// Run loads the data. Then it accepts clients. If the load takes longer than a second, Run accepts clients
// during the load, and they get LOADING. If the data cannot be loaded, Run closes everything and returns the
// reason. Three goroutines begin: one for the background rounds, one for the periodic work of the disk,
// one that looks at files of directives.
//
// SIGTERM ends the context of Run. Run stops in this order:
//
//  1. It writes a snapshot if there are save points. If that fails, Run logs the error and continues; then only
//     SHUTDOWN stops it, or a second signal ends the process.
//  2. It closes the listeners for clients, and the exporter.
//  3. Each connection finishes its batch, sends its replies and closes. After shutdown-timeout seconds Run closes the rest.
//  4. The goroutines end. The one of the rules-file may wait for its file system, and ends with the process.
//  5. The disk writes, fsyncs and closes the append-only file. If there are save points and keys have changed since
//     step 1, it writes another snapshot.
//
// SHUTDOWN does step 1 before its reply, and refuses to stop if that step fails. Then Run does the other
// steps.
//
// # A member of a cluster
//
// With cluster-nodes the log of the cluster replaces the append-only file, and snapshots are exports. New
// also makes a member and opens the port for other nodes. Run starts the member. Clients get LOADING until
// the node has the data. Before step 2 of the stop, another node takes the lead. After step 4 the member
// ends. If the cluster refuses the node, Run stops and returns the reason as its error.
//
// # Invariants
//
//   - No package below this one reads the clock. Each one gets the time, or a [commands.Clock].
//   - Several Apps in one process share nothing: there are no global variables that change.
//   - A part that refuses a configuration keeps its previous state, or brings it back.
//   - A panic in a background round is logged and ends that round only.
//   - A background round opens no file that a directive names.
//
// # Locks
//
// No two of these locks are held at once. CONFIG SET holds its own lock in package server while it takes
// some of them, one after the other.
//
//   - The locks of package listen guard the listeners.
//   - ruleFile.mu guards the path and the time of the rules-file. It is held while the file is read and its rules come
//     into force.
//   - peers.mu guards the UserData of all connections. It is held while a client is admitted, and during a patrol. The
//     locks of the transport and of the list of clients are taken inside it.
//
// The level and the format of the log, and the state of Run are atomics.
package app
