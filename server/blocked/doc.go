// Package blocked keeps the clients that wait for keys: BLPOP and the like.
//
//	table.go  Table: who waits for which key, in the order of arrival
//	place.go  the keys that a transaction has brought
//	serve.go  Serving: gives waiting clients what a command has brought
//
// A client that waits runs nothing. The client that brings a value serves those that wait, in the order of
// their arrival, before its own reply leaves. So a waiting client costs a place in the table and no CPU.
//
// Invariants: a client waits for one command at a time. It leaves the table once: claimed by the one who
// serves it, or by its own end. A claimed client gets one reply. A wait ends with the epoch in which it
// began. A reply does not leave if its change may be lost.
//
// Locks: Table.mu guards all. A command takes it while it holds partitions of the store. The holder takes
// no other lock.
package blocked
