package topology

import "time"

// LatencySteps is the number of steps of a histogram of commits. Step i has the commits of less than 2^i
// microseconds that are in no smaller step; the last one has all others.
const LatencySteps = 26

// Metrics are the numbers of a node since its start.
type Metrics struct {
	Term    uint64 // of its vote
	Applied uint64 // the index of the last applied entry
	Commit  uint64 // the index of the last committed entry that this node knows

	Level uint16 // feature level of the cluster
	Knows uint16 // the highest level that this node knows

	LagEntries uint64 // entries that this node has received and not applied
	LagBytes   int64  // effects that wait for a majority, in bytes

	EpochChanges int64 // epochs that began or ended on this node
	Undone       int64 // effects that were taken back
	LeaseMisses  int64 // replies that waited for an entry because there was no lease
	Entries      int64 // entries that this node has proposed
	EntryBytes   int64 // their bytes
	Dropped      int64 // entries of the log that did not count

	LogBytes int64         // of the files of the log
	LogGrows bool          // the last snapshot could not be written, so the log does not become shorter
	Skew     time.Duration // the largest difference between the clock of another node that answers and that of this one
	Missed   uint64        // published messages that did not reach another node

	Latency  [LatencySteps]int64 // commits by the time from their proposal
	Duration int64               // of all commits together, in nanoseconds
}

// Commits returns the number of commits in Latency.
func (m *Metrics) Commits() (n int64) {
	for _, commits := range m.Latency {
		n += commits
	}
	return n
}

// Within returns the microseconds within which a part of the commits was done, rounded up to a step.
func (m *Metrics) Within(part float64) int64 {
	want, n := part*float64(m.Commits()), int64(0)
	for i, commits := range m.Latency {
		if n += commits; n > 0 && float64(n) >= want {
			return 1 << i
		}
	}
	return 0
}
