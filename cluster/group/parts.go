package group

import (
	"reflect"
	"sync"
	"sync/atomic"

	"cellserver/internal/topology"

	"github.com/hashicorp/raft"
)

// published is what anyone may read of a node.
type published struct {
	view    atomic.Pointer[topology.View]
	current atomic.Uint64 // the epoch; 0: this node does not lead
	// changes is how many epochs have begun or ended here. In an epoch it is odd, and the number of the
	// epoch.
	changes atomic.Uint64
	applied atomic.Uint64 // the index of the last applied entry
	broken  atomic.Bool   // the node has stopped by itself
	busy    atomic.Bool   // the last snapshot was not possible
	hidden  atomic.Bool   // the keys are incomplete
}

// life is how the goroutines of a node wake each other, and end.
type life struct {
	wake    chan struct{} // makes run look for work; has room for one
	stop    chan struct{}
	gone    chan struct{} // is closed when raft is shut down
	end     sync.Once     // closes gone
	closed  sync.Once     // closes stop
	changed chan struct{} // see Changed; has room for one
	members chan struct{} // full while a call changes who takes part; see changeMembers
	running sync.WaitGroup
	scripts scripts
}

// endWith makes a call to raft end when a channel is closed. Raft leaves some calls without an answer when it
// ends, and a goroutine would wait for them forever. Raft's futures have a field for such a channel. Raft
// itself sets it only sometimes.
func endWith(f raft.Future, gone chan struct{}) (ok bool) {
	v := reflect.ValueOf(f)
	if v.Kind() != reflect.Pointer || v.Elem().Kind() != reflect.Struct {
		return false // it has its result
	}
	end := v.Elem().FieldByName("ShutdownCh")
	if ok = end.IsValid() && end.CanSet() && end.Type() == reflect.TypeOf(gone); ok {
		end.Set(reflect.ValueOf(gone))
	}
	return ok
}
