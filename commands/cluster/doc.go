// Package cluster holds CLUSTER, SENTINEL, READONLY, READWRITE and ASKING. They describe the cluster as
// this node sees it. A server in cluster mode that is alone is a cluster of one node that owns all
// 16,384 slots.
//
//	cluster.go    the table of CLUSTER; READONLY, READWRITE and ASKING
//	view.go       the view of the cluster, also of a server that is alone
//	nodes.go      the nodes: INFO, NODES, REPLICAS, LINKS
//	slots.go      the slots and who serves them: SLOTS, SHARDS
//	keys.go       the keys of a slot
//	members.go    changes of the cluster: MEET, FORGET, FAILOVER
//	refused.go    the subcommands of Redis by which tools move slots
//	sentinel.go   SENTINEL, for clients in Sentinel mode
//
// May use: the configuration, the cluster and the id of the node, and the address, the modes and the
// transaction of the own connection.
//
// Invariant: a command that returns an error has written nothing.
//
// The package takes no locks: a command runs while the server holds the partitions of its keys.
// A command that changes the cluster has no keys. It waits for other nodes, and holds no lock.
package cluster
