// Package transport runs sessions of package resp over sockets.
//
// A [Server] accepts connections. One goroutine at a time serves a [Conn], and this goroutine alone uses
// the connection's session:
//
//   - An event loop serves many connections and never blocks on one of them. It is the normal case on Linux.
//   - A worker serves one connection on a goroutine of its own, and may block. It serves TLS and other
//     systems. An event loop passes a connection to a worker while a command or a client makes the
//     server wait. Then the worker gives the connection back.
//
// The way through the files, from the bottom up:
//
//	barrier.go           Barrier holds replies back until changes are safe
//	epoll_linux.go       the system calls of an event loop
//	conn.go              one connection: its state, its end, what it shares with the others (host)
//	usage.go             what one connection takes: memory, bytes
//	push.go              messages between replies; the beginning and the end of a batch
//	pause.go             commands that wait, and Wake
//	worker.go            serves one connection, may block
//	socket_linux.go      a connection on a descriptor of an event loop
//	loop_linux.go        the connections of an event loop: adopt, release, drop
//	held_linux.go        replies that the Barrier holds
//	queues_linux.go      the order in which an event loop serves its clients
//	turn_linux.go        the turn of an event loop; how many loops there are
//	loops_other.go       systems without event loops
//	server.go            accepts, shuts down, wires the parts
//
// # Event loops
//
// Event loops exist for speed alone: [Server.Loops] = -1 switches them off, and every reply stays the same.
//
// What it is: a loop reads a client's batch with one system call and sends its replies with one. A worker
// needs one more read for every batch, and the scheduler parks and wakes it. All sessions of a loop use the
// same read buffer.
//
// What it brings: an idle connection took 3.4 kB when it was last measured. On two processors with 50 clients,
// a loop takes 16 % less time than workers for batches of 16 commands, and 3 % less for single commands:
//
//	go test -run '^$' -bench Transport ./resp/transport
//
// What it must never do: block on a client, on a lock that a client can hold, on a command, or on a disk.
// The other clients of the loop would wait as long.
//
// A loop serves its clients in turns, and a turn ends after bounded work (queues_linux.go). A client whose
// last batch was long waits behind the clients with short batches, and has a share of every turn. So the
// others wait only for this share, and not for every client that sends without end.
//
// # Held replies
//
// A reply may say that data has changed, or show data that has. It leaves only after the [Barrier] has made
// the change safe: for appendfsync always, after an fsync. The handler of a connection says at the end of
// each batch what its output needs ([resp.Session.Need]). Most batches need nothing, and their replies never
// wait.
//
// An event loop does not wait for the others either. At the end of a turn it asks the barrier once
// ([Barrier.Later]), for the highest position that its clients need:
//
//   - It is safe already: the loop sends all replies. This is the case for everysec, which costs nothing but the
//     question.
//   - It is not: the loop holds the clients that need a position, and answers the others. A goroutine of the barrier
//     calls done, and wakes the loop, which sends the replies in its next turn.
//   - A change is lost: the loop closes the connections of all clients that waited with it. Nobody knows
//     the outcome of their commands.
//
// A [Gatherer] makes changes safe in groups. The clients of a turn that it frees often send their next
// commands soon, so it may wait for them for a moment. The loop asks it once a turn how long. It sleeps
// meanwhile, at most 0.15 ms at a time, so that the clients whose commands arrive meanwhile share a turn.
//
// A held connection runs no further batch: its input stays in the kernel until its replies have left. So
// replies keep their order, and one batch bounds their size. The edge-triggered poller reports input once,
// so the loop notes it (unread). A client that closes its side still gets its replies. [Conn.Close] ends a
// held connection at once, and the turn then finds it gone.
//
// A message (pub/sub, tracking, MONITOR) can report a change, too. The handler says what messages need
// ([resp.Handler]). If they need nothing, they leave with a batch or at once. Otherwise they have a turn of
// their own, or leave before the replies of the next batch. They wait for all changes before the end of this
// turn. So the change that a message reports is safe. A client gets a message after the replies that are held
// for this client.
//
// A worker has one client, and waits by itself ([Barrier.Wait]).
//
// # Commands that wait
//
// A command that returns resp.Retry (WAIT, CLIENT PAUSE) waits on a worker. It takes no CPU: the worker
// sleeps until the time that the handler says, or until [Conn.Wake]. Wake also counts if the command is
// about to wait. So nothing is missed if code first changes what the command waits for, and then calls Wake.
// Messages that are pushed before Wake leave before the reply, and later ones after it.
// A client that leaves ends its command. The worker notices that, even if it reads no more because the client
// has sent too much.
//
// # Invariants
//
//   - Replies leave in the order of their requests, and only after the Barrier allows it.
//   - A pushed message never splits a reply. It leaves after the replies of the batch that runs.
//   - resp.Handler.Closed is called exactly once for every accepted connection.
//   - A connection needs one descriptor. While a loop adopts it, it has two. Only one connection of a server is adopted
//     at a time. If the system has no second one, the worker goes on.
//   - The bytes that wait for a client are bounded by OutputLimit or PushLimit.
//
// # Locks
//
// A goroutine takes them in this order: Server.mu, Conn.wire, Conn.mu, host.adopting, loop.mu.
//
//   - Server.mu guards the sets of listeners and connections. It is not held while a handler runs.
//   - Conn.wire is held while a goroutine writes to the socket. [Barrier.Wait] may be called under it.
//   - Conn.mu guards who serves the connection, and the queue of pushed messages.
//   - host.adopting is held while a connection has two descriptors.
//   - loop.mu guards the inbox of a loop.
package transport
