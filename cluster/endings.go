package cluster

import (
	"context"
	"sync"
)

// endings are what Stop ends.
type endings struct {
	ctx     context.Context
	cancel  context.CancelFunc
	calls   context.Context // of what clients ask of other nodes; ends before ctx
	hurry   context.CancelFunc
	working sync.WaitGroup // goroutines that end with ctx
	serving sync.WaitGroup // goroutines that end with port
}

// signals are how the goroutines of a member wake each other.
type signals struct {
	lived   chan struct{} // is closed when the life of the node has ended; nil before Start
	broken  chan *disk    // has the disk that has failed; has room for one
	removed chan string   // has the id of this node after the cluster has removed it; has room for one
	kick    chan struct{} // makes join ask the leader; has room for one
	refused chan error    // has room for one: why the process is to stop
}
