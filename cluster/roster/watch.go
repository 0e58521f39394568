package roster

import "github.com/hashicorp/raft"

// Watch calls note when raft, as the leader, gets no reply from a node, and when it gets replies again. Raft
// calls the filter of an observer at once for each observation. So nothing is lost, as it could be in a
// channel that is full.
func Watch(r *raft.Raft, note func(id raft.ServerID, silent bool)) {
	r.RegisterObserver(raft.NewObserver(nil, false, func(o *raft.Observation) bool {
		switch about := o.Data.(type) {
		case raft.FailedHeartbeatObservation:
			note(about.PeerID, true)
		case raft.ResumedHeartbeatObservation:
			note(about.PeerID, false)
		}
		return false
	}))
}
