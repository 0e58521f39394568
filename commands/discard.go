package commands

import "cellserver/store"

// DISCARD drops the queued commands and the watched keys.
var _ = register(&Command{
	Name: "discard", Arity: 1, Flags: connectionFlags | Fast | AllowBusy | Immediate, Group: Transaction, Since: "2.0.0",
	Summary: "Discard all commands issued after MULTI", Complexity: "O(N), when N is the number of queued commands",
	Run: discard, Footprint: watchedFootprint,
})

const errDiscardNoMulti Error = "ERR DISCARD without MULTI"

func discard(c *Call) error {
	if !c.Client.multi.active {
		return errDiscardNoMulti
	}
	c.Client.multi.reset()
	return unwatch(c)
}

// watchedFootprint is that of commands which end the watching.
func watchedFootprint(c *Call, fp *store.Footprint) { c.Client.watcher.Footprint(fp) }
