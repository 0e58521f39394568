package commands

import "cellserver/store"

// maxSteps is for how many steps the other clients of an event loop may wait. A step takes about
// 0.1 µs: so long takes the reply with one member of a sorted set, or with 64 bytes of a string.
const maxSteps = 50_000

// maxQueue is how many queued commands EXEC runs while other clients wait.
const maxQueue = 1000

// bytesPerStep is how many bytes of a string a command copies in a step.
const bytesPerStep = 64

// TakesSteps returns [TakesLong] if a command is about to take many steps while other clients wait.
// The command returns that error before it changes anything. The flag Linear belongs to it.
func (c *Call) TakesSteps(steps int) error {
	if steps <= maxSteps || c.Runner == nil || c.Runner.Alone() {
		return nil
	}
	return TakesLong
}

// TakesBytes is [Call.TakesSteps] for a command that is about to copy so many bytes.
func (c *Call) TakesBytes(n int) error { return c.TakesSteps(n / bytesPerStep) }

// StepsOfBytes returns how many steps it takes to copy so many bytes.
func StepsOfBytes(n int) int { return n / bytesPerStep }

// TakesLong reports whether EXEC may take long with the queued commands: about as many steps as all
// their values have, for each Linear command. The caller has locked their keys.
func (q *Queue) TakesLong(tx *store.Tx) bool {
	if q.Flags&Linear == 0 {
		return len(q.Commands) > maxQueue
	}
	steps, linear := 0, 0
	for _, one := range q.Commands {
		if one.Cmd.Name == "select" {
			return true // the values are in another database
		}
		one.Cmd.EachKey(one.Args, func(key []byte) {
			e := tx.Peek(key)
			steps += StepsOfBytes(int(e.Memory()))
		})
		if one.Cmd.Flags&Linear != 0 {
			linear++
		}
		if one.Cmd.Steps != nil {
			steps += one.Cmd.Steps(one.Args)
		}
		if linear > 0 && steps > maxSteps/linear {
			return true
		}
	}
	return len(q.Commands) > maxQueue
}
