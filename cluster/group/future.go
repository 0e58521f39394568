package group

import (
	"reflect"

	"github.com/hashicorp/raft"
)

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
