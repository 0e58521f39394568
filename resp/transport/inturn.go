package transport

import "cellserver/resp"

// inTurn is where a connection stands in the turns of its event loop. Only the loop uses it.
type inTurn struct {
	status   resp.Status // how the last batch ended
	due      bool        // replies leave at the end of this turn
	waits    bool        // what leaves must wait for the Barrier
	held     bool        // it waits for the Barrier now: no batch runs
	lost     bool        // the Barrier has lost a change: the connection is to close
	unread   bool        // input came while it was held
	peerDone bool        // the client sends nothing more
}
