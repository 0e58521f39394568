// Package sidecar decides about requests beside the application that sends them. It takes units of hot limits
// from the hub in advance, and passes everything else on to the hub.
//
//	sidecar.go   Sidecar: what all clients share, and the periodic work
//	front.go     Front: one client; which way each of its commands takes
//	words.go     which commands are answered here, and which need a connection of their own
//	order.go     replies leave in the order of the commands
//	relayed.go   the replies of the hub, in this order
//	decide.go    a limiter's command: from its words to a verdict
//	reply.go     the replies of limiters: reads those of the hub, writes our own
//	lease.go     the words of the questions to the hub
//	shard.go     accounts, and who waits for them
//	ask.go       a question for a lease
//	charge.go    the mode report: how the hub charges a limit
//	recent.go    users for whom something was just done
//	leaving.go   users whose clients have left, until the hub knows all
//	settle.go    the end of the sidecar: what it still has to say to the hub
//	pass.go      a limiter's command that the hub decides
//	login.go     AUTH and HELLO: the hub says who may do what
//	credentials.go  the words of AUTH and HELLO
//	line.go      a client without a socket, for HTTP
//	question.go  reads answers of the hub about rules
//	explained.go  what the hub said about the limits of a rule, for questions over HTTP
//	permit.go    INFO and CONFIG: the hub says who may run them here
//	own.go       the connection to the hub of one client
//	state.go     the commands of such a client
//	effects.go   what commands of the hub change here
//	forget.go    what the sidecar forgets then
//
// Package account says what to do with units and answers. Package router has the connections to the hub.
//
// # Who a client is
//
// The hub decides. AUTH of a client is tried at the hub. From then on, all commands and leases of that client
// go over connections of that user. So no client gets a right that it lacks at the hub. Accounts are those
// of a user: no user spends units of another one. If the hub no longer accepts a user, its accounts are
// dropped.
//
// # Invariants
//
//   - Replies leave in the order of the commands.
//   - Each allowed decision takes a unit that the hub has counted, unless upstream-lost is allow or local and
//     the hub is lost. In the mode report the hub counts it later.
//   - A command with an error is never decided here: its text comes from the hub.
//   - What one client sends is bounded: so many of its commands wait for replies, and so many bytes.
//
// # Locks
//
// A shard's lock guards its accounts and those who wait for them. order.mu guards the replies of a client,
// explained.mu the explanations. None of them is held while a request is given to package router, and no two
// of them are held at once. own.mu guards how far the own connection of a client is. It is taken before the
// locks of package router.
package sidecar
