package group

import "time"

// AskInterval is the time between two questions of a node to each of the others. See LeaderStood.
const AskInterval = time.Second

// fresh says how old the keys of a follower may be. Raft's heartbeats do not tell: a follower gets them also
// while its disk does not answer, or while it lags. So the node asks the leader for its last applied entry
// again and again.
type fresh struct {
	from   int64  // monotonic time at which the leader had applied no more than this node; 0: not known
	asked  int64  // monotonic time of a question whose answer is not reached yet; 0: there is none
	stands uint64 // that answer: the last entry that the leader had applied
}

// until returns the time up to which a node may answer reads that has applied the entries up to an index. It
// is 0 if the node has not caught up since its start.
func (f *fresh) until(applied uint64, nodeTimeout time.Duration) int64 {
	if f.asked != 0 && applied >= f.stands {
		f.from, f.asked = max(f.from, f.asked), 0
	}
	if f.from == 0 {
		return 0
	}
	return f.from + int64(nodeTimeout+AskInterval)
}
