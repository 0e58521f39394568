package transport

import "cellserver/resp"

// progress is what the goroutine that serves a connection knows of its last batch. No other goroutine uses
// it.
type progress struct {
	mark     uint64 // of the Barrier, when the batch began
	need     uint64 // the position of the Barrier that the output waits for; 0: it waits for nothing
	notified bool   // the handler was told that the connection is closed
	counted  int64  // bytes of the session's output that writing has

	inTurn
}

// inTurn is the state of a connection in the turns of its event loop.
type inTurn struct {
	status   resp.Status // how the last batch ended
	due      bool        // replies leave at the end of this turn
	held     bool        // it waits for the Barrier now: no batch runs
	lost     bool        // the Barrier has lost a change: the connection is to close
	unread   bool        // input came while it was held
	peerDone bool        // the client sends nothing more
	long     bool        // the last batch took longBatch or more

	unfinished int // memory of the command that is not complete, in bytes
}
