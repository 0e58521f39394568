// Package backend counts hits: in the engine that the process carries, in a cellserver that speaks RESP, or
// in a Redis.
//
//	plan.go      a request as commands, and their replies as results
//	key.go       the keys of counters, and the ends of windows
//	embedded.go  Embedded: the engine in this process, alone or as a node of a cluster
//	resp.go      OverRESP: a server, a cluster, sentinels or a sidecar
//	connect.go   the connection of OverRESP, and what answers at its other end
//	dial.go      how the connection is opened and closed
//	lengths.go   the bound on a reply
//	redis.go     counting in a Redis, which has INCRBY and no CL.MWINDOW
//
// The engine gets one command for a request, CL.MWINDOW. So a request counts as a whole, by the clock of
// the engine. A charge takes several commands, one after the other, if it has more than 128 counters, or
// gives hits of a counter back and adds others. In a request of all or none,
// shadows and hits that are given back take commands of their own. These come last, and count nothing if an
// earlier command refuses. A Redis gets INCRBY and PEXPIRE for each counter, by the clock of this process.
//
// # Invariants
//
//   - No call outlives the deadline of its context.
//   - No command that counts is sent twice, unless the server has said that it did nothing.
//   - Two counters never share a key: a key has the domain, the descriptor and the kind of the window.
//
// # Locks
//
// None are held during a call. Atomic pointers hold the connection, and what answers there.
package backend
