package commands

import "cellserver/store"

// checkSlots refuses, with cluster mode on, a command whose keys lie in several hash
// slots.
func (s *Server) checkSlots(call *Call) error {
	if !s.Config().ClusterEnabled {
		return nil
	}
	slot, mixed := -1, false
	call.Cmd.eachKey(call.Args, func(key []byte) {
		k := int(store.Slot(key))
		mixed = mixed || slot >= 0 && k != slot
		slot = k
	})
	if mixed {
		return errCrossSlot
	}
	return nil
}
