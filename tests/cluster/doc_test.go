// Package cluster breaks a cluster of real processes in all known ways while clients write: kill -9, SIGSTOP longer than
// the lease, lost directories, full disks, planned restarts and transfers, an upgrade of the program, links that are cut
// both ways or one way. Real client libraries call it, too (clients_test.go). At the end of each test:
//
//   - all nodes hold the same keys;
//   - of each counter, at least the acknowledged increments are stored, and at most the unknown ones beside them;
//   - no limit admitted more than it may;
//   - clients got documented errors only.
//
// The cuts need root, for network namespaces. CLUSTER_SECONDS is how long the faults of each kind last, 90 by default.
// CLUSTER_NODES is 3 or 5. CLUSTER_BIN is the path of a cellserver that was built before. CLUSTER_OLD_BIN is the path of a
// cellserver of a lower feature level. CLUSTER_SEED, or SEED, repeats an order of faults. ONLY names the client libraries.
// ROUNDS is how often the leader dies in the table of docs/cluster.md (deadleader_test.go).
package cluster
