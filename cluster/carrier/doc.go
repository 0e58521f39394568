// Package carrier carries the entries of Raft's log to the other nodes. Raft's own transport encodes by
// reflection, and passes each message through several goroutines. This is most of the cost of an entry. So
// entries have connections and a format of their own. All other messages, which are rare, stay with Raft's
// transport.
//
//	frame.go     the format of a request with entries, and of its answer
//	pipeline.go  the sender: it sends the next request before the previous answer arrives
//	pauses.go    how long to wait after a pipeline has failed
//	carrier.go   Carrier: the transport of a node, and the receiver of requests
//
// # Invariants
//
//   - The answers of a connection have the order of its requests.
//   - A request that gets no answer in time ends its connection. Raft then sends its entries again, one request at a time.
//   - A request costs the receiver memory only as its bytes come.
//   - A pipeline that fails begins a pause for its address. Answers make the next pause short again.
//   - At most inFlight requests of a connection wait for their answers.
//
// # Locks
//
// pipeline.mu guards the number of requests in flight, and their timer. pauses.mu guards the pauses. No
// goroutine waits while it holds one of them.
package carrier
